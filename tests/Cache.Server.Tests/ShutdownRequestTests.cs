using Cache.Server.Tests.Connections;
using Cache.Server.Tests.Transport.Tls;
using Cache.Testing;

namespace Cache.Server.Tests;

/// <summary>A client may end the program, where the program says how.</summary>
public sealed class ShutdownRequestTests : ConnectionTestBase
{
    [Fact]
    public async Task Shutdown_WhereTheOptionIsSet_CallsItAndEndsTheConnection()
    {
        var asked = new TaskCompletionSource();
        await using var server = await StartAsync(new RespServerOptions { ShutdownRequested = asked.SetResult });
        var client = server.Connect();

        Assert.Equal("", client.Exchange(Request("SHUTDOWN", "NOSAVE")));

        await asked.Task.WaitAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Shutdown_WhereItIsNot_IsRefused()
    {
        await using var server = await StartAsync(new RespServerOptions());

        Assert.StartsWith("-ERR SHUTDOWN is not allowed", server.Connect().Exchange(Request("SHUTDOWN")));
    }

    [Fact]
    public async Task Shutdown_OfAProgramThatCannotStop_IsLogged()
    {
        var log = new MessageLog();
        var options = new RespServerOptions
        {
            ShutdownRequested = static () => throw new InvalidOperationException("not now"),
        };
        await using var server = await InMemoryServer.StartAsync(Store, options, null, log);

        Assert.Equal("", server.Connect().Exchange(Request("SHUTDOWN", "NOSAVE")));

        Assert.True(SpinWait.SpinUntil(
            () => log.Messages.Any(static message => message.StartsWith("SHUTDOWN: ", StringComparison.Ordinal)),
            TimeSpan.FromMinutes(1)));
    }
}
