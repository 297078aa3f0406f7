using Cache.Core;
using Cache.Hosting.Configuration;
using Cache.Server;
using Cache.Server.Settings;
using Microsoft.Extensions.Logging;
using Cache.Tool.Standalone;

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

    // As CONFIG SET, CONFIG REWRITE and SIGHUP leave it: only what the server does not do yet needs a restart.
    [Fact]
    public async Task Run_FileSaysWhatIsPresent_AsksForNoRestart()
    {
        using var log = new LogLines();
        using var loggers = LoggerFactory.Create(builder => builder.AddProvider(log));
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        await using var server = new RespServer(store, new RespServerOptions { Port = 0 }, loggers);
        server.State.Settings.TimeoutSeconds = 7;
        server.State.Settings.Kept["replica-priority"] = "8";
        server.State.Settings.SetOutputLimits(OutputLimits.WithHardLimit(OutputLimits.Default, 2 << 20));
        server.State.Settings.Kept["save"] = "900 1 300 10";
        Setting[] given = [Of("timeout", "5"), Of("slave-priority", "7"), Of("hz", "10")];
        Setting[] rewritten =
        [
            Of("timeout", "7"), Of("replica-priority", "8"), Of("maxmemory", "16mb"), Of("hz", "20"),
            Of("client-output-buffer-limit", "normal", "2mb", "0", "0"),
            Of("client-output-buffer-limit", "pubsub", "32mb", "8mb", "60"),
            Of("save", "900", "1"), Of("save", "300", "10"),
        ];
        var reload = new Reload(
            given, _ => rewritten, new LogLevelSwitch(LogLevel.Information), server, loggers.CreateLogger<Reload>());

        await reload.RunAsync();

        Assert.Contains(
            log.Lines, static line => line.Contains("Changed, but not reloaded: hz.", StringComparison.Ordinal));
    }

    // The last lines are the same; what they come to is not.
    [Fact]
    public async Task Run_LinesThatAddUpHaveChanged_AsksForARestart()
    {
        using var log = new LogLines();
        using var loggers = LoggerFactory.Create(builder => builder.AddProvider(log));
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        await using var server = new RespServer(store, new RespServerOptions { Port = 0 }, loggers);
        Setting[] last = [Of("save", "60", "1"), Of("client-output-buffer-limit", "pubsub", "32mb", "8mb", "60")];
        Setting[] present =
        [
            Of("save", "900", "1"), Of("client-output-buffer-limit", "normal", "2mb", "0", "0"), .. last,
        ];
        var reload = new Reload(
            last, _ => present, new LogLevelSwitch(LogLevel.Information), server, loggers.CreateLogger<Reload>());

        await reload.RunAsync();

        Assert.Contains(
            log.Lines,
            static line => line.Contains("not reloaded: client-output-buffer-limit, save.", StringComparison.Ordinal));
    }

    private static Setting Of(string name, params string[] values) => new(name, values, "c.conf");
}
