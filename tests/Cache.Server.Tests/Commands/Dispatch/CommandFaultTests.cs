using Cache.Core;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Settings;

namespace Cache.Server.Tests.Commands.Dispatch;

public sealed class CommandFaultTests
{
    [Fact]
    public void Execute_CommandThrows_RepliesErrorTellsTheServerAndCloses()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 1 << 20, ShardCount = 1 });
        (string Command, Exception Exception)? told = null;
        var server = new ServerState(store, new ServerSettings(), CommandTable.Default, CommandFamilies.Handlers)
        {
            CommandThrew = (command, exception) => told = (command, exception),
        };
        var client = new CommandClient(server);
        server.Settings.RequirePass = null!; // No command makes this state; INFO does not read it, CONFIG GET does.
        client.Client.IsAuthenticated = true;

        Assert.EndsWith("-ERR internal error\r\n", client.Run("CONFIG GET requirepass"), StringComparison.Ordinal);

        Assert.Equal("config|get", told?.Command);
        Assert.IsType<ArgumentNullException>(told?.Exception);
        Assert.True(client.Client.ShouldClose);
    }
}
