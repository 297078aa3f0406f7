using System.Security.Authentication;
using Cache.Core;
using Cache.Hosting.Configuration;
using Cache.Server;
using Cache.Server.Settings;
using Microsoft.Extensions.Logging;

namespace Cache.Hosting.Tests.Standalone;

public sealed class DirectiveTableTests
{
    [Fact]
    public void Apply_EveryKindOfValue_SetsItsOption()
    {
        var settings = Apply(
            "port 7000", "bind 127.0.0.1 -::1", "unixsocket /tmp/s", "unixsocketperm 700", "admin-socket /tmp/a",
            "requirepass secret",
            "maxclients 5", "timeout 6", "tcp-keepalive 7", "tcp-backlog 8", "maxmemory 2mb",
            "MaxMemory-Policy volatile-ttl", "compression cold", "databases 4",
            "proto-max-bulk-len 1mb", "client-query-buffer-limit 2mb",
            "client-output-buffer-limit 3mb", "client-output-timeout 4",
            "shutdown-timeout 9", "loglevel warning", "io-transport portable", "io-threads 3");
        var (store, server) = (settings.Store, settings.Server);
        Assert.Equal((7000, 5, 8), (server.Port, server.MaxClients, server.Backlog));
        Assert.Equal(["127.0.0.1", "-::1"], server.Bind);
        Assert.Equal(
            ("/tmp/s", "/tmp/a", "secret"), (server.UnixSocketPath, server.AdminSocketPath, server.RequirePass));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, server.UnixSocketMode);
        Assert.Equal(
            (6, 7, 9),
            (server.Timeout.TotalSeconds, server.TcpKeepAlive.TotalSeconds, server.DrainTimeout.TotalSeconds));
        Assert.Equal((2L << 20, 4, 1 << 20), (store.MemoryLimitBytes, store.KeyspaceCount, store.ValueLengthMax));
        Assert.Equal((EvictionPolicy.ExpiringEntries, ValueCompression.Cold), (store.Eviction, store.Compression));
        Assert.Equal((2L << 20, 3L << 20), (server.InputBufferLimit, server.OutputBufferLimit));
        Assert.Equal(4, server.OutputStallTimeout.TotalSeconds);
        Assert.Equal(LogLevel.Warning, settings.LogLevel);
        Assert.Equal((RespTransport.Portable, 3), (server.Transport, server.IoThreadCount));
        Assert.Empty(server.FindProblems());
        Assert.Empty(store.FindProblems());
    }

    [Fact]
    public void Apply_IoTransportEpoll_ChoosesTheLoops() =>
        Assert.Equal(RespTransport.Epoll, Apply("io-transport epoll").Server.Transport);

    [Fact]
    public void Apply_TlsDirectives_SetTheirOptions()
    {
        var server = Apply(
            "port 0", "tls-port 7001", "tls-cert-file c.pem", "tls-key-file k.pem", "tls-key-file-pass secret",
            "tls-ca-cert-file ca.pem", "tls-auth-clients optional", "tls-protocols \"TLSv1.3\"",
            "tls-handshake-timeout 3").Server;
        Assert.Equal((null, 7001), (server.Port, server.TlsPort));
        Assert.Equal(
            ("c.pem", "k.pem", "secret", "ca.pem"),
            (server.TlsCertificateFile, server.TlsKeyFile, server.TlsKeyFilePassword, server.TlsCaCertificateFile));
        Assert.Equal(TlsClientAuthentication.Optional, server.TlsClientAuthentication);
        Assert.Equal(SslProtocols.Tls13, server.TlsProtocols);
        Assert.Equal(3, server.TlsHandshakeTimeout.TotalSeconds);
        Assert.Empty(server.FindProblems());
        Assert.Equal("c.pfx", Apply("tls-pfx-file c.pfx").Server.TlsPfxFile);
        Assert.Equal(SslProtocols.Tls12 | SslProtocols.Tls13, Apply("tls-protocols \"\"").Server.TlsProtocols);
        Assert.Null(Apply("tls-port 7001", "tls-port 0").Server.TlsPort);
    }

    [Fact]
    public void Apply_TlsClientUsers_AreCollected()
    {
        var server = Apply(
            "tls-client-user alice.example alice", "tls-client-user spiffe://example/bob bob",
            "tls-client-user \"\"").Server;
        Assert.Equal(
            new Dictionary<string, string> { ["alice.example"] = "alice", ["spiffe://example/bob"] = "bob" },
            server.TlsClientUsers);
    }

    [Fact]
    public void Apply_SameDirectiveTwice_TheLaterStays() =>
        Assert.Equal(2, Apply("port 1", "port 2").Server.Port);

    [Fact]
    public void Apply_MaxMemoryZero_IsTheDefaultShare() =>
        Assert.Equal(new CacheOptions().MemoryLimitBytes, Apply("maxmemory 5mb", "maxmemory 0").Store.MemoryLimitBytes);

    [Fact]
    public void Apply_PortZero_IsNoTcp() => Assert.Empty(Apply("port 0", "unixsocket /tmp/s").Server.Bind);

    // As in Redis, of maxmemory, wherever that stands; not of the machine's memory, which may be many times as much.
    [Theory]
    [InlineData(8, "maxmemory 16mb", "maxmemory-clients 50%")]
    [InlineData(8, "maxmemory-clients 50%", "maxmemory 16mb")]
    [InlineData(1, "maxmemory-clients 2%", "maxmemory 16mb")]
    [InlineData(3, "maxmemory-clients 50%", "maxmemory 16mb", "maxmemory-clients 3mb")]
    public void Apply_PercentageForClients_IsOfMaxMemory(int megabytes, params string[] lines) =>
        Assert.Equal(megabytes << 20, Apply(lines).Server.ClientMemoryLimit);

    [Theory]
    [InlineData("port 65536", "port is '65536'; it must be an integer between 0 and 65535.")]
    [InlineData("port six", "port is 'six'; it must be an integer between 0 and 65535.")]
    [InlineData("port 1 2", "port is '1 2'; it must be one value; quote it if it has spaces.")]
    [InlineData("port", "port needs a value: an integer between 0 and 65535.")]
    [InlineData("tls-protocols TLSv1.1", "tls-protocols is 'TLSv1.1'; it must be one of TLSv1.2, TLSv1.3.")]
    [InlineData("tls-auth-clients maybe", "tls-auth-clients is 'maybe'; it must be one of no, yes, optional.")]
    [InlineData(
        "tls-client-user alice",
        "tls-client-user is 'alice'; it must be a name of a certificate, or sha256: and its thumbprint, and a user.")]
    [InlineData(
        "unixsocketperm 789", "unixsocketperm is '789'; it must be an octal number between 0 and 777, such as 700.")]
    [InlineData(
        "proto-max-bulk-len 1",
        "proto-max-bulk-len is '1'; it must be an amount of memory between 1mb and 512mb, such as 512mb.")]
    [InlineData(
        "maxmemory-policy lru",
        "maxmemory-policy is 'lru'; it must be one of volatile-lru, volatile-lfu, volatile-random, volatile-ttl, "
        + "allkeys-lru, allkeys-lfu, allkeys-random, noeviction.")]
    [InlineData("replicaof a 1", "replicaof is 'a 1'; it must be \"\": this server cannot be a replica.")]
    [InlineData("enable-debug-command maybe", "enable-debug-command is 'maybe'; it must be one of no, yes, local.")]
    [InlineData(
        "client-output-buffer-limit normal 1 0 0",
        "client-output-buffer-limit is 'normal 1 0 0'; it must be 0 (64mb) or an amount of memory between 1mb "
        + "and 1024gb, such as 512mb; or Redis's form: a kind of clients, a hard limit, a soft limit and its seconds.")]
    [InlineData("appendonly maybe", "appendonly is 'maybe'; it must be one of yes, no.")]
    [InlineData(
        "notify-keyspace-events KEQ", "notify-keyspace-events is 'KEQ'; it must be letters of Ag$lshzxeKEtmdn.")]
    [InlineData("maxmemroy 5mb", "there is no directive 'maxmemroy'; did you mean 'maxmemory'?")]
    [InlineData("port=6380", "there is no directive 'port=6380'; did you mean 'port 6380'?")]
    [InlineData("maxmemory=512mb", "there is no directive 'maxmemory=512mb'; did you mean 'maxmemory 512mb'?")]
    [InlineData("colour red", "there is no directive 'colour'; --help lists all directives.")]
    public void Apply_WrongSetting_SaysWhatIsWrong(string line, string message)
    {
        var refused = Assert.Throws<SettingException>(() => Apply(line));
        Assert.Equal($"test: {message}", refused.Message);
    }

    [Fact]
    public void Apply_MemoryBeyondTheMachine_NamesValueAndRange()
    {
        var refused = Assert.Throws<SettingException>(() => Apply("maxmemory 900000gb"));
        Assert.StartsWith(
            "test: maxmemory is '900000gb'; it must be 0 (a quarter of the machine's memory) "
            + "or an amount of memory between 1mb and ",
            refused.Message,
            StringComparison.Ordinal);
        Assert.EndsWith(", such as 512mb or 25%.", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Apply_NothingToListenOn_IsRefused()
    {
        var refused = Assert.Throws<SettingException>(() => Apply("port 0"));
        Assert.Contains("nothing to listen on", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Apply_UsersAndNames_AreCollected()
    {
        var server = Apply(
            "user alice on >a-b ~app:* +@read", "user bob off", "rename-command FLUSHALL \"\"",
            "rename-command config cfg", "aclfile \"\"", "acllog-max-len 5").Server;

        Assert.Equal(["alice on >a-b ~app:* +@read", "bob off"], server.Users);
        Assert.Equal(
            new Dictionary<string, string> { ["FLUSHALL"] = "", ["config"] = "cfg" }, server.RenamedCommands);
        Assert.Null(server.AclFile);
        Assert.Equal(5, server.AclLogMaxLength);
        Assert.Throws<SettingException>(() => Apply("rename-command get"));
    }

    // What CONFIG GET shows of them; of the last one somebody is told.
    // Directives with a meaning but without an option: the server is given them as they were written.
    [Fact]
    public void Apply_WhatIsMeasured_ReachesTheServer()
    {
        var settings = Apply("slowlog-max-len 7", "latency-tracking no");

        Assert.Equal("7", settings.Server.KeptParameters["slowlog-max-len"]);
        Assert.Equal("no", settings.Server.KeptParameters["latency-tracking"]);
        Assert.Empty(settings.WithoutEffect);
    }

    [Fact]
    public void Apply_ParametersWithoutMeaning_AreKept()
    {
        var settings = Apply("enable-debug-command yes", "acl-pubsub-default allchannels", "lfu-log-factor 7");
        Assert.Equal(
            new Dictionary<string, string>
            {
                ["enable-debug-command"] = "yes",
                ["acl-pubsub-default"] = "allchannels",
                ["lfu-log-factor"] = "7",
            },
            settings.Server.KeptParameters);
        Assert.Equal(["lfu-log-factor"], settings.WithoutEffect.Keys);
    }

    [Theory]
    [InlineData(64 << 20, "client-output-buffer-limit normal 0 0 0")]
    [InlineData(32 << 20, "client-output-buffer-limit normal 32mb 0 0")]
    [InlineData(64 << 20, "client-output-buffer-limit replica 256mb 64mb 60")]
    [InlineData(8 << 20, "client-output-buffer-limit 8mb", "client-output-buffer-limit pubsub 32mb 8mb 60")]
    public void Apply_OutputBufferLimitInRedisForm_TakesTheHardLimitOfNormalClients(int bytes, params string[] lines) =>
        Assert.Equal(bytes, Apply(lines).Server.OutputBufferLimit);

    [Fact]
    public void Durability_Default_RefusesWritesWithoutADisk() =>
        Assert.True(new ProgramSettings(new CacheOptions(), new RespServerOptions()).Durability.RefusesWritesOnError);

    [Theory]
    [InlineData("900 1 300 10", "save 900 1", "save 300 10")]
    [InlineData("300 10", "save 900 1", "save \"\"", "save 300 10")]
    [InlineData("", "save 900 1", "save \"\"")]
    public void Apply_SaveManyTimes_AddsUp(string value, params string[] lines) =>
        Assert.Equal(value, Apply(lines).Server.KeptParameters["save"]);

    [Fact]
    public void Apply_UnixSocketPermZero_LeavesTheModeToTheMask() =>
        Assert.Null(Apply("unixsocketperm 700", "unixsocketperm 0").Server.UnixSocketMode);

    // But for what the program sets by itself.
    [Fact]
    public void Options_HaveADirectiveEach()
    {
        var options = DirectiveTable.All.Select(static directive => directive.Option).ToHashSet();
        string[] others =
        [
            nameof(RespServerOptions.KeptParameters), nameof(RespServerOptions.MessageWords),
            nameof(RespServerOptions.ShutdownRequested), nameof(RespServerOptions.ConfigurationFile),
            nameof(RespServerOptions.LogLevel), nameof(RespServerOptions.Durability),
        ];
        Assert.All(
            typeof(RespServerOptions).GetProperties().Where(property => !others.Contains(property.Name)),
            property => Assert.Contains(property.Name, options));
    }

    [Fact]
    public void Apply_ProtectedMode_IsOnUnlessSwitchedOff()
    {
        Assert.True(Apply("bind 0.0.0.0").Server.ProtectedMode);
        Assert.False(Apply("bind 0.0.0.0", "protected-mode no").Server.ProtectedMode);
    }

    [Fact]
    public void SampleFile_HasEveryDirectiveWithItsDefault()
    {
        var problems = new List<string>();
        var settings = ConfigFile.Read(Path.Combine(AppContext.BaseDirectory, "cache.conf"), problems);
        Assert.Empty(problems);
        var names = settings.ConvertAll(static setting => setting.Name);
        Assert.Equal(names.Distinct(), names);
        Assert.Empty(DirectiveTable.Meaningful.Select(static directive => directive.Name).Except(names));
        var (read, defaults) = (Apply(settings), Apply(Array.Empty<Setting>()));
        Assert.Empty(read.WithoutEffect);
        Assert.Equal(defaults.Server.Bind, read.Server.Bind);
        foreach (var property in typeof(RespServerOptions).GetProperties())
        {
            if (property.Name is not (nameof(RespServerOptions.Bind) or nameof(RespServerOptions.KeptParameters)))
                Assert.Equal(property.GetValue(defaults.Server), property.GetValue(read.Server));
        }

        Assert.All(
            typeof(CacheOptions).GetProperties(),
            property => Assert.Equal(property.GetValue(defaults.Store), property.GetValue(read.Store)));
    }

    private static ProgramSettings Apply(params string[] lines) => Apply(lines.Select(
        line => ArgumentSplitter.Split(line) is [var name, .. var values] ? new Setting(name, values, "test") : null!));

    private static ProgramSettings Apply(IEnumerable<Setting> settings) =>
        new ProgramSettings(new CacheOptions(), new RespServerOptions()).Apply(settings);
}
