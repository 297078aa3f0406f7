using System.Globalization;
using Cache.Core;
using Cache.Hosting;
using Cache.Server;
using Microsoft.Extensions.Logging;

namespace StandaloneServer.Configuration;

/// <summary>Every directive there is, for the file, JSON, the environment, the command line and its help.</summary>
internal static class DirectiveTable
{
    private static readonly (string Name, LogLevel Level)[] _levels =
    [
        ("debug", LogLevel.Trace), ("verbose", LogLevel.Debug),
        ("notice", LogLevel.Information), ("warning", LogLevel.Warning),
    ];

    public static IReadOnlyList<Directive> All { get; } =
    [
        new("port", "number", "6379", "The TCP port; 0 for no TCP.",
            static (given, to) => to.Server.Port = given.Port()) { Option = nameof(RespServerOptions.Port) },
        new("bind", "addresses", "127.0.0.1",
            "Addresses to listen on; * is all of IPv4, ::* of IPv6; -address may be absent.",
            static (given, to) => to.Server.Bind = given.Values)
            { IsList = true, Option = nameof(RespServerOptions.Bind) },
        new("unixsocket", "path", "none", "A Unix domain socket to listen on as well.",
            static (given, to) => to.Server.UnixSocketPath = given.TextOrNull())
            { Option = nameof(RespServerOptions.UnixSocketPath) },
        new("unixsocketperm", "mode", "0",
            "The mode of the socket's file, octal; 0: what the process's umask leaves of 777.",
            static (given, to) => to.Server.UnixSocketMode = given.ModeOrNull())
            { Option = nameof(RespServerOptions.UnixSocketMode) },
        .. TlsDirectives.All,
        new("requirepass", "password", "none", "The password that clients must give.",
            static (given, to) => to.Server.RequirePass = given.TextOrNull())
            { Option = nameof(RespServerOptions.RequirePass) },
        new("aclfile", "path", "none", "A file of users, as Redis writes it.",
            static (given, to) => to.Server.AclFile = given.TextOrNull())
            { Option = nameof(RespServerOptions.AclFile) },
        new("user", "name and rules", "none", "A user, as in a file of users; may be given many times.",
            static (given, to) => AddUser(given.Text, to.Server))
            { IsList = true, IsRepeated = true, Option = nameof(RespServerOptions.Users) },
        new("acllog-max-len", "number", "128", "Denied requests that ACL LOG remembers.",
            static (given, to) => to.Server.AclLogMaxLength = given.Integer(0, 100_000))
            { Option = nameof(RespServerOptions.AclLogMaxLength) },
        new("rename-command", "name new-name", "none", "Another name for a command; \"\" disables it. Many times.",
            static (given, to) => AddRename(given, to.Server))
            { IsList = true, IsRepeated = true, Option = nameof(RespServerOptions.RenamedCommands) },
        new("protected-mode", "yes|no", "yes", "Yes: refuse other machines while the default user needs no password.",
            static (given, to) => to.Server.ProtectedMode = given.YesNo())
            { Option = nameof(RespServerOptions.ProtectedMode) },
        new("maxclients", "number", "10000", "Clients connected at once.",
            static (given, to) => to.Server.MaxClients = given.Integer(1, RespServerOptions.MaxClientsMax))
            { Option = nameof(RespServerOptions.MaxClients) },
        new("reserved-clients", "number", "1", "Clients of this machine beyond maxclients, for administration only.",
            static (given, to) =>
                to.Server.ReservedClients = given.Integer(0, RespServerOptions.ReservedClientsMax))
            { Option = nameof(RespServerOptions.ReservedClients) },
        new("accepts-per-second", "number", "10000", "Connections accepted per second; further ones wait.",
            static (given, to) => to.Server.AcceptsPerSecond = given.Integer(1, RespServerOptions.MaxClientsMax))
            { Option = nameof(RespServerOptions.AcceptsPerSecond) },
        new("maxmemory-clients", "bytes", "0", "What all clients hold together, 5% of maxmemory; 0: a half.",
            static (given, to) => SetClientMemory(given, to)) { Option = nameof(RespServerOptions.ClientMemoryLimit) },
        new("auth-timeout", "seconds", "10", "Disconnect a client that needs a password and gives none; 0 for never.",
            static (given, to) => to.Server.AuthenticationTimeout = given.Seconds())
            { Option = nameof(RespServerOptions.AuthenticationTimeout) },
        new("partial-request-timeout", "seconds", "30",
            "Disconnect a client that is silent for so long in the middle of a request; 0 for never.",
            static (given, to) => to.Server.PartialRequestTimeout = given.Seconds())
            { Option = nameof(RespServerOptions.PartialRequestTimeout) },
        new("io-transport", "auto|portable|epoll", "auto",
            "What moves the bytes: the runtime's sockets, or event loops of the server's own, by default on Linux.",
            static (given, to) => to.Server.Transport = given.OneOf(
                ("auto", new RespServerOptions().Transport),
                ("portable", RespTransport.Portable),
                ("epoll", RespTransport.Epoll))) { Option = nameof(RespServerOptions.Transport) },
        new("io-threads", "number", "0", "Threads of the epoll transport; 0 for half as many as processors.",
            static (given, to) => SetIoThreads(given.Integer(0, RespServerOptions.IoThreadCountMax), to.Server))
            { Option = nameof(RespServerOptions.IoThreadCount) },
        new("timeout", "seconds", "0", "Disconnect a client that is silent for so long; 0 for never.",
            static (given, to) => to.Server.Timeout = given.Seconds()) { Option = nameof(RespServerOptions.Timeout) },
        new("tcp-keepalive", "seconds", "300", "Probe after so long whether a silent peer still lives; 0 for never.",
            static (given, to) => to.Server.TcpKeepAlive = given.Seconds())
            { Option = nameof(RespServerOptions.TcpKeepAlive) },
        new("tcp-backlog", "number", "511", "Connections that wait to be accepted.",
            static (given, to) => to.Server.Backlog = given.Integer(1, ushort.MaxValue))
            { Option = nameof(RespServerOptions.Backlog) },
        new("maxmemory", "bytes", "0", "What the store may hold: 512mb, 25% of the machine's memory; 0 for a quarter.",
            static (given, to) => SetMemoryLimit(given, to.Store)) { Option = nameof(CacheOptions.MemoryLimitBytes) },
        new("maxmemory-policy", "policy", "allkeys-lru",
            "What makes room at the limit: any key, only keys with a TTL, or none.",
            static (given, to) => to.Store.Eviction = Policy(given)) { Option = nameof(CacheOptions.Eviction) },
        new("databases", "number", "16", "Keyspaces that SELECT chooses from.",
            static (given, to) => to.Store.KeyspaceCount = given.Integer(1, CacheOptions.KeyspaceCountMax))
            { Option = nameof(CacheOptions.KeyspaceCount) },
        new("proto-max-bulk-len", "bytes", "512mb", "The longest value.",
            static (given, to) => to.Store.ValueLengthMax = (int)given.Memory(1 << 20, CacheStore.ValueLengthMax))
            { Option = nameof(CacheOptions.ValueLengthMax) },
        new("client-query-buffer-limit", "bytes", "1gb", "The longest request that is not yet complete.",
            static (given, to) => to.Server.InputBufferLimit =
                given.Memory(RespServerOptions.BufferLimitMin, RespServerOptions.InputBufferLimitMax))
            { Option = nameof(RespServerOptions.InputBufferLimit) },
        new("client-output-buffer-limit", "bytes", "64mb",
            "The most replies, beside one value, that a client may ask for without reading them; Redis's form too.",
            static (given, to) => CompatibilityDirectives.SetOutputLimit(given, to))
            { IsList = true, Option = nameof(RespServerOptions.OutputBufferLimit) },
        new("client-output-timeout", "seconds", "30",
            "Disconnect a client that takes none of its replies for so long; 0 for never.",
            static (given, to) => to.Server.OutputStallTimeout = given.Seconds())
            { Option = nameof(RespServerOptions.OutputStallTimeout) },
        new("shutdown-timeout", "seconds", "5", "How long stopping waits for clients to take their last replies.",
            static (given, to) => to.Server.DrainTimeout = given.Seconds())
            { Option = nameof(RespServerOptions.DrainTimeout) },
        new("loglevel", "level", "notice", "One of debug, verbose, notice, warning.",
            static (given, to) => to.LogLevel = given.OneOf(_levels)),
        new("log-format", "text|json", "text",
            "How lines of the log look; without it, Logging:Console:FormatterName of the JSON file decides.",
            static (given, to) => to.LogFormat = given.OneOf(("text", LogFormat.Text), ("json", LogFormat.Json))),
        .. CompatibilityDirectives.All,
    ];

    /// <summary>Those of Redis that can mean nothing here: they are taken, and the operator is told.</summary>
    public static IReadOnlyList<Directive> WithoutMeaning { get; } =
        [.. CompatibilityDirectives.ReadWithoutMeaning(All)];

    /// <summary>What loglevel calls a level.</summary>
    public static string NameOf(LogLevel level) => Array.Find(_levels, one => one.Level == level).Name;

    /// <summary>The directive of a name, whose case does not matter.</summary>
    /// <returns>Null if there is none.</returns>
    public static Directive? Find(string name) =>
        Find(directive => directive.Name.Equals(name, StringComparison.OrdinalIgnoreCase));

    /// <summary>As <see cref="Find(string)"/>, for sources that cannot or would not write hyphens.</summary>
    public static Directive? FindLoosely(string name)
    {
        string bare = WithoutHyphens(name);
        return Find(directive => WithoutHyphens(directive.Name).Equals(bare, StringComparison.OrdinalIgnoreCase));
    }

    /// <summary>The directive that is meant: whose option in code has the name, or whose own name is nearest.</summary>
    public static string? FindNearest(string name) =>
        All.FirstOrDefault(one => name.Equals(one.Option, StringComparison.OrdinalIgnoreCase))?.Name
            ?? NearestName.Find(name, All.Select(static directive => directive.Name));

    /// <summary>There is no such directive: the message, which suggests the nearest.</summary>
    public static string Unknown(string label, string name, string prefix = "")
    {
        // As other programs' files have it: port=6379.
        string[] parts = name.Split('=', 2);
        string hint = parts.Length > 1 && Find(parts[0]) is { } directive
            ? $"did you mean '{prefix}{directive.Name} {parts[1]}'?"
            : FindNearest(name) is { } nearest
                ? $"did you mean '{prefix}{nearest}'?"
                : "--help lists all that there are.";
        return $"{label}: there is no directive '{prefix}{name}'; {hint}";
    }

    private static Directive? Find(Func<Directive, bool> isMeant) =>
        All.FirstOrDefault(isMeant) ?? WithoutMeaning.FirstOrDefault(isMeant);

    private static string WithoutHyphens(string name) =>
        name.Replace("-", "", StringComparison.Ordinal).Replace("_", "", StringComparison.Ordinal);

    private static void AddUser(string user, RespServerOptions server)
    {
        if (user.Length > 0)
            server.Users = [.. server.Users, user];
    }

    private static void AddRename(Setting given, RespServerOptions server)
    {
        if (given.Text.Length == 0)
            return;
        if (given.Values is not [var name, var newName])
            throw given.Wrong("a command and its new name, or \"\" to disable it");
        server.RenamedCommands = new Dictionary<string, string>(server.RenamedCommands) { [name] = newName };
    }

    private static void SetIoThreads(int count, RespServerOptions server)
    {
        if (count > 0)
            server.IoThreadCount = count;
    }

    // A percentage is of maxmemory, as in Redis, which may be set later.
    private static void SetClientMemory(Setting given, ServerSettings to)
    {
        long bytes = given.Memory(
            RespServerOptions.BufferLimitMin, CacheOptions.AvailableMemoryBytes, "a half of maxmemory",
            takesPercent: true);
        bool isPercent = given.Text.EndsWith('%');
        to.ClientMemoryPercent = isPercent ? int.Parse(given.Text[..^1], CultureInfo.InvariantCulture) : 0;
        to.Server.ClientMemoryLimit = bytes;
    }

    private static void SetMemoryLimit(Setting given, CacheOptions options)
    {
        long bytes = given.Memory(
            CacheOptions.MemoryLimitMin, CacheOptions.AvailableMemoryBytes, "a quarter of the machine's memory",
            takesPercent: true);
        options.MemoryLimitBytes = bytes == 0 ? new CacheOptions().MemoryLimitBytes : bytes;
    }

    private static EvictionPolicy Policy(Setting given) => given.OneOf(
        ("noeviction", EvictionPolicy.None),
        ("allkeys-lru", EvictionPolicy.AllEntries),
        ("allkeys-lfu", EvictionPolicy.AllEntries),
        ("allkeys-random", EvictionPolicy.AllEntries),
        ("volatile-lru", EvictionPolicy.ExpiringEntries),
        ("volatile-lfu", EvictionPolicy.ExpiringEntries),
        ("volatile-random", EvictionPolicy.ExpiringEntries),
        ("volatile-ttl", EvictionPolicy.ExpiringEntries));
}
