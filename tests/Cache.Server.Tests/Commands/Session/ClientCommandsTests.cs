using System.Globalization;
using Cache.Server.Clients;
using Cache.Server.Tests.Clients;

namespace Cache.Server.Tests.Commands.Session;

public sealed class ClientCommandsTests : CommandTestBase
{
    [Fact]
    public void ClientInfo_NamedClient_IsRedis7Line()
    {
        Client.Run("CLIENT SETNAME me");
        Client.Run("SELECT 3");
        Client.Run("HELLO 3");

        string id = Client.Client.Id.ToString(CultureInfo.InvariantCulture);
        Assert.Contains(
            $"txt:id={id} addr=127.0.0.1:50000 laddr=127.0.0.1:6379 fd=-1 name=me age=0 idle=0 flags=N db=3 "
            + "sub=0 psub=0 ssub=0 multi=-1 qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 "
            + "tot-mem=2048 events=r cmd=client|info user=default redir=-1 resp=3 "
            + "lib-name= lib-ver= tot-net-in=0 tot-net-out=0 tot-cmds=0 watch=0\n\r\n",
            Client.Run("CLIENT INFO"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Reset_OfAProtectedClient_LeavesItProtected()
    {
        Client.Run("CLIENT NO-EVICT on");
        Client.Run("RESET");

        Assert.Contains(" flags=e ", Client.Run("CLIENT INFO"), StringComparison.Ordinal);
    }

    // The name as it was given, whether it is UTF-8 or not.
    [Theory]
    [InlineData("\u00c3\u00a9")]
    [InlineData("\u00ff")]
    public void ClientInfo_UserWithOtherThanAscii_HasTheNamesBytes(string name)
    {
        Client.Call("ACL", "SETUSER", name, "on", "nopass", "+client", "+acl");
        Client.Call("AUTH", name, "x");
        Client.Run("GET key");

        Assert.Contains($" user={name} redir=", Client.Run("CLIENT INFO"), StringComparison.Ordinal);
        Assert.Contains($" user={name} redir=", Client.Run("CLIENT LIST"), StringComparison.Ordinal);
        Assert.Contains($" user={name} redir=", Client.Run("ACL LOG"), StringComparison.Ordinal);
    }

    [Fact]
    public void ClientInfo_UnixSocketWithOtherThanAscii_HasThePathsBytes()
    {
        var client = Server.Clients.TryAdd(new ClientEndPoints("/\u00e9:0", "/\u00e9:0"), () => { });

        Assert.Contains(
            " addr=/\u00c3\u00a9:0 laddr=/\u00c3\u00a9:0 ",
            Client.Run($"CLIENT LIST ID {client!.Id}"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void ClientId_SeveralClients_CountsUp()
    {
        var other = Connect();

        Assert.Equal(":1\r\n", Client.Run("CLIENT ID"));
        Assert.Equal(":2\r\n", other.Run("CLIENT ID"));
    }

    [Fact]
    public void ClientSetInfo_BothAttributes_ShowInInfo()
    {
        Assert.Equal("+OK\r\n", Client.Run("CLIENT SETINFO LIB-NAME redis-py"));
        Assert.Equal("+OK\r\n", Client.Run("CLIENT SETINFO lib-ver 5.0.1"));

        Assert.Contains(
            " resp=2 lib-name=redis-py lib-ver=5.0.1 tot-net-in=", Client.Run("CLIENT INFO"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("LIB-NAME", "a b", "-ERR lib-name cannot contain spaces, newlines or special characters.\r\n")]
    [InlineData("lib-ver", "a\n", "-ERR lib-ver cannot contain spaces, newlines or special characters.\r\n")]
    [InlineData("lib-foo", "a", "-ERR Unrecognized option 'lib-foo'\r\n")]
    public void ClientSetInfo_WrongArgument_RepliesAsRedis72(string attribute, string value, string reply) =>
        Assert.Equal(reply, Client.Call("CLIENT", "SETINFO", attribute, value));

    [Fact]
    public void ClientNoTouch_SwitchedOn_ShowsAsFlag()
    {
        Assert.Equal("+OK\r\n", Client.Run("CLIENT NO-TOUCH on"));
        Assert.Equal("+OK\r\n", Client.Run("CLIENT NO-EVICT on"));
        Assert.Contains(" flags=eT ", Client.Run("CLIENT INFO"), StringComparison.Ordinal);
        Assert.Equal("-ERR syntax error\r\n", Client.Run("CLIENT NO-TOUCH maybe"));
    }

    [Theory]
    [InlineData("CLIENT LIST", 2)]
    [InlineData("CLIENT LIST TYPE normal", 2)]
    [InlineData("CLIENT LIST ID 2", 1)]
    [InlineData("CLIENT LIST ID 2 1 77 2", 3)]
    public void ClientList_TwoClients_ListsThoseAskedFor(string line, int count)
    {
        Connect();

        Assert.Equal(count, Client.Run(line).Split(" addr=").Length - 1);
    }

    [Fact]
    public void ClientList_OfAType_ListsNoOtherType()
    {
        var other = Connect();
        other.Run("SUBSCRIBE news");

        Assert.Equal(1, Client.Run("CLIENT LIST TYPE pubsub").Split(" addr=").Length - 1);
        Assert.Equal(1, Client.Run("CLIENT LIST TYPE normal").Split(" addr=").Length - 1);
        Assert.Equal(0, Client.Run("CLIENT LIST TYPE master").Split(" addr=").Length - 1);
    }

    [Fact]
    public void ClientList_OneIdAgainAndAgain_IsRefusedAtTheLimit()
    {
        Server.Settings.ClientOutputBufferLimit = 10_000;

        Assert.Equal(
            "-ERR the reply is longer than client-output-buffer-limit\r\n",
            Client.Call(["CLIENT", "LIST", "ID", .. Enumerable.Repeat("1", 1000)]));
    }

    [Theory]
    [InlineData("CLIENT KILL ID 2", ":1\r\n")]
    [InlineData("CLIENT KILL TYPE normal", ":1\r\n")]
    [InlineData("CLIENT KILL USER default ID 2 ADDR 127.0.0.1:50000 LADDR 127.0.0.1:6379 SKIPME no", ":1\r\n")]
    public void ClientKill_OtherClient_AbortsItAndListsItNoMore(string line, string reply)
    {
        var other = Connect();

        Assert.Equal(reply, Client.Run(line));

        Assert.True(other.IsAborted);
        Assert.True(other.Client.ShouldClose);
        Assert.False(Client.Client.ShouldClose);
        Assert.Equal("$0\r\n\r\n", Client.Run("CLIENT LIST ID 2"));
        Assert.Equal(":0\r\n", Client.Run("CLIENT KILL ID 2"));
    }

    [Fact]
    public void ClientKill_OwnAddress_RepliesAndCloses()
    {
        Assert.Equal("+OK\r\n", Client.Run("CLIENT KILL 127.0.0.1:50000"));

        Assert.True(Client.Client.ShouldClose);
        Assert.False(Client.IsAborted);
    }

    [Fact]
    public void TryAdd_AboveMaxClients_RefusesAndCounts()
    {
        Server.Settings.MaxClients = 1;

        Assert.Null(Server.Clients.TryAdd(new ClientEndPoints("a", "b"), () => { }));
        Assert.Equal(1, Server.Clients.RejectedCount);
        Assert.Equal(1, Server.Clients.Count);

        Server.Clients.Remove(Client.Client);
        Assert.NotNull(Server.Clients.TryAdd(new ClientEndPoints("a", "b"), () => { }));
    }

    [Fact]
    public void Hello_NoOptions_TellsServerAndVersion() => Assert.Equal(
        "*14\r\n$6\r\nserver\r\n$5\r\ncache\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:2\r\n$2\r\nid\r\n:1\r\n"
        + "$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n",
        Client.Run("HELLO"));
}
