using System.IO.Pipelines;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Tests.Commands.Dispatch;

/// <summary>Arguments of megabytes where commands expect a word.</summary>
public sealed class LongTextArgumentTests : CommandTestBase
{
    private const int LongBytes = 2 << 20;
    private const int ArgumentCountMax = 6;
    private const int WordsBytes = 1024;

    private static readonly string[] _channelWords =
        ["subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe", "pubsub"];

    // Words, then the long argument.
    private readonly byte[] _input = new byte[WordsBytes + LongBytes];

    // As a .NET string it would take twice its length, in memory that counts nowhere and stays until it is collected.
    [Fact]
    public void AnyCommand_WithALongArgumentAnywhere_AllocatesLittle()
    {
        var bad = new List<string>();
        _input.AsSpan(WordsBytes).Fill((byte)'A');
        foreach (var command in Server.Commands.All)
        {
            string[] name = command.Name.Split('|');
            int least = Math.Max(Math.Abs(command.Arity), name.Length);
            int most = command.Arity > 0 ? least : Math.Max(least, ArgumentCountMax);
            for (int count = least; count <= most; count++)
            {
                for (int at = name.Length; at < count; at++)
                {
                    long allocated = Measure(name, count, at);
                    if (allocated > LongBytes / 4)
                        bad.Add($"{command.Name} with argument {at} of {count}: {allocated} bytes");
                }
            }
        }

        Assert.True(bad.Count == 0, string.Join('\n', bad));
    }

    [Theory]
    [InlineData("ACL SETUSER {0}", "-ERR The username is too long, the limit is 65536 bytes\r\n")]
    [InlineData("ACL SETUSER u ~{0}{0}", "-ERR The ACL rules are too long, the limit is 1048576 bytes\r\n")]
    [InlineData("ACL GETUSER {0}", "$-1\r\n")]
    [InlineData("ACL DELUSER {0}", ":0\r\n")]
    [InlineData("CONFIG GET {0}", "*0\r\n")]
    [InlineData("CLIENT KILL {0}", "-ERR No such client\r\n")]
    [InlineData("CLIENT KILL ADDR {0}", ":0\r\n")]
    [InlineData("CLIENT KILL LADDR {0}", ":0\r\n")]
    [InlineData(
        "CONFIG SET timeout {0}",
        "-ERR CONFIG SET failed (possibly related to argument 'timeout') - "
        + "argument is too long, the limit is 65536 bytes\r\n")]
    public void Command_WithALongArgument_RefusesItInItsOwnWords(string line, string reply) =>
        Assert.Equal(reply, Client.Run(string.Format(null, line, new string('a', 600_000))));

    [Theory]
    [InlineData("ACL CAT {0}", "-ERR Unknown category '{0}'\r\n")]
    [InlineData("EXPIRE k 10 {0}", "-ERR Unsupported option {0}\r\n")]
    public void Error_ThatShowsALongArgument_ShowsItsBeginning(string line, string reply) =>
        Assert.Equal(
            string.Format(null, reply, new string('a', 16 * 1024)),
            Client.Run(string.Format(null, line, new string('a', 600_000))));

    private long Measure(string[] name, int count, int longAt)
    {
        var ranges = new ArgumentRange[count];
        int end = 0;
        for (int i = 0; i < count; i++)
        {
            string text = i < name.Length ? name[i] : "1";
            System.Text.Encoding.ASCII.GetBytes(text, _input.AsSpan(end, text.Length));
            ranges[i] = i == longAt ? new ArgumentRange(WordsBytes, LongBytes) : new ArgumentRange(end, text.Length);
            end += text.Length;
        }

        Server.Store.Clear();
        var client = new CommandClient(Server);
        var output = new Pipe(new PipeOptions(pauseWriterThreshold: 0, useSynchronizationContext: false));
        client.Context.End();
        client.Context.Begin(client.Client, output.Writer);
        long before = GC.GetAllocatedBytesForCurrentThread();
        CommandDispatcher.Execute(new RespRequest(_input, ranges), client.Context);
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;

        // What is replied as it came lies in the output, which counts, as a subscribed channel's name does.
        bool isEcho = (name[0] is "echo" or "ping" || _channelWords.Contains(name[0]))
            && client.Context.Output.UnflushedBytes > LongBytes;
        client.Client.Subscriptions?.End(); // Who publishes next writes to nobody.
        client.Context.End();
        Server.Clients.Remove(client.Client);
        return isEcho ? 0 : allocated;
    }
}
