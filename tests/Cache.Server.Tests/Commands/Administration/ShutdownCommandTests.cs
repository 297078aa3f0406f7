using Cache.Core;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Settings;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class ShutdownCommandTests : IDisposable
{
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20 }, new FakeTimeProvider());
    private readonly List<string> _stops = [];

    public void Dispose() => _store.Dispose();

    [Theory]
    [InlineData("SHUTDOWN")]
    [InlineData("SHUTDOWN NOSAVE")]
    [InlineData("shutdown nosave now force")]
    [InlineData("SHUTDOWN SAVE FORCE")]
    [InlineData("SHUTDOWN NOW NOW")]
    public void Shutdown_WhereItIsAllowed_AsksTheProgramAndEndsTheConnectionWithoutAReply(string line)
    {
        var client = new CommandClient(MakeServer(isAllowed: true));

        Assert.Equal("", client.Run(line));

        Assert.Equal([client.Client.EndPoints.Remote], _stops);
        Assert.True(client.Client.ShouldClose);
    }

    [Theory]
    [InlineData("SHUTDOWN FOO", "-ERR syntax error\r\n")]
    [InlineData("SHUTDOWN SAVE NOSAVE", "-ERR syntax error\r\n")]
    [InlineData("SHUTDOWN ABORT NOW", "-ERR syntax error\r\n")]
    [InlineData("SHUTDOWN ABORT", "-ERR No shutdown in progress.\r\n")]
    [InlineData("SHUTDOWN SAVE", "-ERR this server keeps nothing on disk: use SHUTDOWN NOSAVE\r\n")]
    public void Shutdown_Wrong_StopsNothing(string line, string reply)
    {
        var client = new CommandClient(MakeServer(isAllowed: true));

        Assert.Equal(reply, client.Run(line));

        Assert.Empty(_stops);
        Assert.False(client.Client.ShouldClose);
    }

    [Fact]
    public void Shutdown_InAProgramThatDoesNotAllowIt_IsRefused() => Assert.Equal(
        "-ERR SHUTDOWN is not allowed: this server is a part of another program\r\n",
        new CommandClient(MakeServer(isAllowed: false)).Run("SHUTDOWN"));

    private ServerState MakeServer(bool isAllowed) =>
        new(_store, new ServerSettings(), CommandTable.Default, CommandFamilies.Handlers)
        {
            Stop = isAllowed ? _stops.Add : null,
        };
}
