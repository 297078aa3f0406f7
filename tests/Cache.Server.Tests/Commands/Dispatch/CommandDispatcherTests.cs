using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Tests.Commands.Dispatch;

public sealed class CommandDispatcherTests : CommandTestBase
{
    [Theory]
    [InlineData("PING", "+PONG\r\n")]
    [InlineData("ping", "+PONG\r\n")]
    [InlineData("pInG hello", "$5\r\nhello\r\n")]
    [InlineData("ECHO hi", "$2\r\nhi\r\n")]
    [InlineData("PING a b", "-ERR wrong number of arguments for 'ping' command\r\n")]
    [InlineData("ECHO", "-ERR wrong number of arguments for 'echo' command\r\n")]
    [InlineData("ECHO a b", "-ERR wrong number of arguments for 'echo' command\r\n")]
    [InlineData("FOO", "-ERR unknown command 'FOO', with args beginning with: \r\n")]
    [InlineData("foo a b", "-ERR unknown command 'foo', with args beginning with: 'a' 'b' \r\n")]
    [InlineData("", "-ERR unknown command '', with args beginning with: \r\n")]
    [InlineData("A\r\nBC", "-ERR unknown command 'A  BC', with args beginning with: \r\n")]
    [InlineData("PI\0NG x", "-ERR unknown command 'PI', with args beginning with: 'x' \r\n")]
    public void Execute_Request_RepliesAsRedis(string line, string reply) => Assert.Equal(reply, Client.Run(line));

    [Fact]
    public void Execute_LongUnknownCommand_ShowsPartOfNameAndArguments()
    {
        string name = new('Z', 200);
        string shown = $"-ERR unknown command '{name[..128]}', with args beginning with: ";

        Assert.Equal($"{shown}'{name[..128]}' \r\n", Client.Call(name, name, "more"));
        Assert.Equal($"{shown}'{name[..100]}' '{name[..25]}' \r\n", Client.Call(name, name[..100], name, "more"));
    }

    // Lent values of the store among it, which nobody else would give back.
    [Fact]
    public void Execute_RequestThatIsDeniedWhenItIsToGoOn_GivesBackWhatItHeld()
    {
        var progress = new ToldProgress();
        var client = Connect();
        client.Context.Progress = progress;
        Client.Run("ACL SETUSER default -bitop");

        Assert.StartsWith("-NOPERM ", client.Run("BITOP NOT d a"), StringComparison.Ordinal);
        client.Context.End();

        Assert.True(progress.IsDisposed);
    }

    private sealed class ToldProgress : CommandProgress
    {
        public bool IsDisposed { get; private set; }

        public override long MemoryBytes => 0;

        public override void Dispose() => IsDisposed = true;
    }
}
