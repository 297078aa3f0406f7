using Cache.Core;
using Cache.Server;
using Microsoft.Extensions.Logging;
using StandaloneServer;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>What a reload does where a part of it fails.</summary>
public sealed class ReloadTests
{
    // As a file does whose rights were taken away, or anything that nobody thought of.
    [Fact]
    public async Task Run_SourcesCannotBeRead_ReloadsTheRest()
    {
        using var files = new TemporaryFiles();
        string acl = files.Write("users.acl", "user alice on nopass +@all ~*\n");
        using var log = new LogLines();
        using var loggers = LoggerFactory.Create(builder => builder.AddProvider(log));
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        await using var server = new RespServer(store, new RespServerOptions { Port = 0, AclFile = acl }, loggers);
        await server.StartAsync(TestContext.Current.CancellationToken);
        files.Write("users.acl", "user bob on nopass +@all ~*\n");
        var reload = new Reload(
            [],
            static _ => throw new UnauthorizedAccessException("the folder is closed"),
            new LogLevelSwitch(LogLevel.Information),
            server,
            loggers.CreateLogger<Reload>());

        await reload.RunAsync();

        Assert.Contains(log.Lines, static line => line.Contains("Reloading failed", StringComparison.Ordinal));
        Assert.Contains(log.Lines, line => line.Contains($"Users of {acl}: reloaded", StringComparison.Ordinal));
    }
}
