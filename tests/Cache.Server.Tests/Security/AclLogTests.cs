using System.Globalization;
using System.Text;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Security;
using Cache.Server.Tests.Commands;
using Cache.Testing;

namespace Cache.Server.Tests.Security;

public sealed class AclLogTests : CommandTestBase
{
    [Fact]
    public void AclLog_DeniedCommand_IsRedis7Entry()
    {
        Client.Run("ACL SETUSER u on nopass +get ~a*");
        var other = Connect();
        other.Run("AUTH u x");
        other.Run("DEL a");
        Advance(TimeSpan.FromSeconds(1.5));

        string id = other.Client.Id.ToString(CultureInfo.InvariantCulture);
        string info = $"id={id} addr=127.0.0.1:50000 laddr=127.0.0.1:6379 fd=-1 name= age=0 idle=0 flags=N db=0 sub=0 "
            + "psub=0 ssub=0 multi=-1 qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 "
            + "tot-mem=2048 events=r cmd=del user=u redir=-1 resp=2 "
            + "lib-name= lib-ver= tot-net-in=0 tot-net-out=0 tot-cmds=0 watch=0";
        Assert.Equal(
            "*1\r\n*14\r\n$5\r\ncount\r\n:1\r\n$6\r\nreason\r\n$7\r\ncommand\r\n$7\r\ncontext\r\n$8\r\ntoplevel\r\n"
            + "$6\r\nobject\r\n$3\r\ndel\r\n$8\r\nusername\r\n$1\r\nu\r\n$11\r\nage-seconds\r\n$3\r\n1.5\r\n"
            + $"$11\r\nclient-info\r\n${info.Length}\r\n{info}\r\n",
            Client.Run("ACL LOG"));
    }

    [Theory]
    [InlineData("GET b", "key", "b")]
    [InlineData("CONFIG GET x", "command", "config|get")]
    [InlineData("AUTH u wrong", "auth", "AUTH")]
    [InlineData("hello 3 AUTH nobody wrong", "auth", "hello")]
    public void AclLog_Denied_TellsReasonAndObject(string line, string reason, string name)
    {
        Client.Run("ACL SETUSER u on >p +get ~a*");
        var other = Connect();
        other.Run("AUTH u p");
        other.Run(line);

        string log = Client.Run("ACL LOG");
        Assert.Contains($"\r\nreason\r\n${reason.Length}\r\n{reason}\r\n", log, StringComparison.Ordinal);
        Assert.Contains($"\r\nobject\r\n${name.Length}\r\n{name}\r\n", log, StringComparison.Ordinal);
    }

    [Fact]
    public void AclLog_TheSameWithinAMinute_IsOneEntry()
    {
        Client.Run("ACL SETUSER u on nopass");
        var other = Connect();
        other.Run("AUTH u x");
        other.Run("DEL a");
        other.Run("GET a");
        Advance(TimeSpan.FromSeconds(59));
        other.Run("DEL b");

        Assert.StartsWith("*2\r\n*14\r\n$5\r\ncount\r\n:2\r\n", Client.Run("ACL LOG"), StringComparison.Ordinal);

        Advance(TimeSpan.FromSeconds(61));
        other.Run("DEL b");
        Assert.StartsWith("*3\r\n*14\r\n$5\r\ncount\r\n:1\r\n", Client.Run("ACL LOG"), StringComparison.Ordinal);
        Assert.StartsWith("*1\r\n", Client.Run("ACL LOG 1"), StringComparison.Ordinal);
    }

    [Fact]
    public void AclLog_MoreThanItsLength_KeepsTheYoungest()
    {
        Client.Run("CONFIG SET acllog-max-len 2");
        Client.Run("ACL SETUSER u on nopass");
        var other = Connect();
        other.Run("AUTH u x");
        foreach (string command in new[] { "GET a", "DEL a", "INCR a" })
            other.Run(command);

        string log = Client.Run("ACL LOG");
        Assert.StartsWith("*2\r\n", log, StringComparison.Ordinal);
        Assert.DoesNotContain("\r\nget\r\n", log, StringComparison.Ordinal);
        Assert.Equal("+OK\r\n", Client.Run("ACL LOG RESET"));
        Assert.Equal("*0\r\n", Client.Run("ACL LOG"));
    }

    [Fact]
    public void AclLog_LongNames_AreKeptInPart()
    {
        string name = new('n', 16_000);
        Client.Call("AUTH", name, "x");

        string log = Client.Run("ACL LOG");
        Assert.Contains($"$1024\r\n{name[..1024]}\r\n", log, StringComparison.Ordinal);
        Assert.True(log.Length < 2048);
    }

    // Anybody may say a name, or ask for a key, of hundreds of megabytes; as text it would take twice as much again.
    [Theory]
    [InlineData("AUTH", "", "x")]
    [InlineData("GET", "")]
    public void AclLog_NameOfMegabytes_IsNotCopiedAsAWhole(params string[] words)
    {
        Client.Run("ACL SETUSER u on nopass +get ~a");
        Client.Run("AUTH u x");
        byte[] input = Encoding.Latin1.GetBytes(words[0] + new string('n', 10_000_000) + "x");
        ArgumentRange[] ranges = [new(0, words[0].Length), new(words[0].Length, 10_000_000), new(input.Length - 1, 1)];
        var request = new RespRequest(input, ranges.AsSpan(0, words.Length));
        long before = GC.GetAllocatedBytesForCurrentThread();

        CommandDispatcher.Execute(request, Client.Context);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1_000_000);
        Assert.Single(Server.AclLog.GetLast(10));
    }

    [Fact]
    public void AclLog_InResp3_HasMapsAndDoubles()
    {
        Client.Run("HELLO 3");
        Client.Run("AUTH default wrong");
        Client.Run("AUTH nobody wrong");

        Assert.Contains("age-seconds\r\n,0\r\n", Client.Run("ACL LOG"), StringComparison.Ordinal);
        Assert.StartsWith("*1\r\n%7\r\n", Client.Run("ACL LOG"), StringComparison.Ordinal);
    }

    private void Advance(TimeSpan time) => ((FakeTimeProvider)Server.TimeProvider).Advance(time);
}
