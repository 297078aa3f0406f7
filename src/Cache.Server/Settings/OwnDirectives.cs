using System.Globalization;
using System.Text;
using Cache.Core;

namespace Cache.Server.Settings;

/// <summary>The directives that have an effect here.</summary>
internal static class OwnDirectives
{
    private static readonly NumberKind _port = new(0, ushort.MaxValue);
    private static readonly NumberKind _seconds = new(0, SettingBounds.SecondsMax, "seconds");
    private static readonly NumberKind _anySeconds = new(0, int.MaxValue, "seconds");

    public static IReadOnlyList<Directive> All { get; } =
    [
        Changeable("port", _port, "6379", "The TCP port; 0 for no TCP.",
            static s => s.Port, static (s, value) => s.Port = (int)value) with { Option = "Port" },
        new("bind", new TextKind("addresses") { HasWords = true }, "127.0.0.1",
            "Addresses to listen on; * is all of IPv4, ::* of IPv6; -address may be absent.")
        {
            IsChangeable = true, Option = "Bind",
            Read = static s => s.Bind, Write = static (s, value) => s.Bind = value,
        },
        new("unixsocket", new TextKind("path"), "", "A Unix domain socket to listen on as well.")
            { Option = "UnixSocketPath", Read = static s => OptionText.ToLatin1(s.UnixSocketPath) },
        new("unixsocketperm", new ModeKind(), "0",
            "The mode of the socket's file, octal; 0: 777 less the process's umask.")
            { Option = "UnixSocketMode" },
        new("admin-socket", new TextKind("path"), "",
            "A Unix domain socket of mode 0600 for administrators, which answers when nothing else does; Linux only.")
            { Option = "AdminSocketPath", Read = static s => OptionText.ToLatin1(s.AdminSocketPath) },
        new("requirepass", new TextKind("password"), "", "The password that clients must give.")
        {
            IsChangeable = true, Option = "RequirePass", Read = static s => Encoding.Latin1.GetString(s.RequirePass),
            Write = static (s, value) => s.RequirePass = Encoding.Latin1.GetBytes(value),
        },
        new("aclfile", new TextKind("path"), "", "A file of users, as Redis writes it.")
            { Option = "AclFile", Read = static s => OptionText.ToLatin1(s.AclFile) },
        new("user", new TextKind("name and rules") { HasWords = true }, "",
            "A user, as in a file of users; may be given many times.") { IsRepeated = true, Option = "Users" },
        Changeable("acllog-max-len", new NumberKind(0, SettingBounds.AclLogLengthMax), "128",
            "The most entries of ACL LOG.",
            static s => s.AclLogLengthMax, static (s, value) => s.AclLogLengthMax = (int)value)
            with { Option = "AclLogMaxLength" },
        new(DirectiveTable.PubSubDefault, new OneOfKind(DirectiveTable.AllChannels, "resetchannels"), "resetchannels",
            "The channels of new users.") { IsChangeable = true },
        new("rename-command", new TextKind("name new-name") { HasWords = true }, "",
            "Another name for a command; \"\" disables it. May be given many times.")
            { IsRepeated = true, Option = "RenamedCommands" },
        new("protected-mode", OneOfKind.YesNo, "yes",
            "Yes: refuse other machines while the default user needs no password.")
        {
            IsChangeable = true, Option = "ProtectedMode", Read = static s => s.IsProtected ? "yes" : "no",
            Write = static (s, value) => s.IsProtected = value == "yes",
        },
        Changeable("maxclients", new NumberKind(1, SettingBounds.ClientsMax), "10000", "Clients connected at once.",
            static s => s.MaxClients, static (s, value) => s.MaxClients = (int)value) with { Option = "MaxClients" },
        new("reserved-clients", new NumberKind(0, SettingBounds.ReservedClientsMax), "1",
            "Clients of this machine beyond maxclients, for administration only.")
            { Option = "ReservedClients", Read = static s => Text(s.ReservedClients) },
        new("accepts-per-second", new NumberKind(1, SettingBounds.ClientsMax), "10000",
            "Connections accepted per second; further ones wait.") { Option = "AcceptsPerSecond" },
        new("enable-debug-command", new OneOfKind("no", "yes", "local"), "no",
            "Which clients may use DEBUG: none, all that have the right, or those of this machine."),
        new("maxmemory-clients",
            new MemoryKind(SettingBounds.BufferBytesMin, CacheOptions.AvailableMemoryBytes)
            {
                ZeroMeans = "half of maxmemory", Whole = "maxmemory", MaxName = "the machine's memory",
                NamesPercent = true,
            },
            "0", "The most memory of all clients; 0: half of maxmemory, or 128mb if that is more, at most 3/4.")
        {
            IsChangeable = true, Option = "ClientMemoryLimit",
            Read = static s => s.ClientMemoryPercent > 0
                ? Text(s.ClientMemoryPercent) + "%"
                : Text(s.ClientMemoryLimit),
        },
        Changeable("auth-timeout", _seconds, "10",
            "Disconnect a client that needs a password and gives none; 0 for never.",
            static s => s.AuthenticationSeconds, static (s, value) => s.AuthenticationSeconds = (int)value)
            with { Option = "AuthenticationTimeout" },
        Changeable("partial-request-timeout", _seconds, "30",
            "Disconnect a client after this silence in the middle of a request; 0 for never.",
            static s => s.PartialRequestSeconds, static (s, value) => s.PartialRequestSeconds = (int)value)
            with { Option = "PartialRequestTimeout" },
        new("io-transport", new OneOfKind("auto", "portable", "epoll"), "auto",
            "The transport: the runtime's sockets, or the server's own event loops, the default on Linux.")
            { Option = "Transport" },
        new("io-threads", new NumberKind(0, SettingBounds.IoThreadsMax), "0",
            "Threads of the epoll transport; 0 for half as many as processors.") { Option = "IoThreadCount" },
        Changeable("timeout", _anySeconds, "0", "Disconnect a client after this silence; 0 for never.",
            static s => s.TimeoutSeconds, static (s, value) => s.TimeoutSeconds = (int)value)
            with { Option = "Timeout" },
        Changeable("tcp-keepalive", _anySeconds, "300",
            "Probe a silent peer after this time; 0 for never.",
            static s => s.TcpKeepAliveSeconds, static (s, value) => s.TcpKeepAliveSeconds = (int)value)
            with { Option = "TcpKeepAlive" },
        new("tcp-backlog", new NumberKind(1, ushort.MaxValue), "511", "Connections that wait to be accepted.")
            { Option = "Backlog" },
        new("maxmemory",
            new MemoryKind(CacheOptions.MemoryLimitMin, CacheOptions.AvailableMemoryBytes)
            {
                ZeroMeans = "a quarter of the machine's memory", Whole = "the machine's memory",
                MaxName = "the machine's memory",
            },
            "0", "The most memory of the store; CONFIG SET maxmemory 0 allows all of the machine's memory.")
            { IsChangeable = true, Option = "MemoryLimitBytes" },
        new("maxmemory-policy", new OneOfKind([.. EvictionPolicyName.All]), "allkeys-lru",
            "The keys that are evicted at the limit: any, only those with a TTL, or none.")
            { IsChangeable = true, Option = "Eviction" },
        new("compression", new OneOfKind([.. CompressionName.All]), "off",
            "The values that are compressed once the limit is met: none, those used seldom, or all.")
            { IsChangeable = true, Option = "Compression" },
        new("databases", new NumberKind(1, CacheOptions.KeyspaceCountMax), Text(CacheOptions.KeyspaceCountMax),
            "The number of databases.") { Option = "KeyspaceCount" },
        new("proto-max-bulk-len", new MemoryKind(SettingBounds.BufferBytesMin, SettingBounds.ValueBytesMax),
            Text(SettingBounds.ValueBytesMax),
            "The longest value; CONFIG SET accepts at most its value at the start.")
        {
            IsChangeable = true, Option = "ValueLengthMax", Read = static s => Text(s.ProtoMaxBulkLength),
            Write = static (s, value) => s.ProtoMaxBulkLength = Number(value),
        },
        Changeable("client-query-buffer-limit",
            new MemoryKind(SettingBounds.BufferBytesMin, SettingBounds.InputBytesMax),
            Text(SettingBounds.InputBytesMax),
            "The longest incomplete request.",
            static s => s.ClientQueryBufferLimit, static (s, value) => s.ClientQueryBufferLimit = value)
            with { Option = "InputBufferLimit" },
        new("client-output-buffer-limit", OutputLimits.Kind, OutputLimits.Default,
            "The most unread replies of a client, besides one value; also in Redis's form.")
        {
            IsChangeable = true, Option = "OutputBufferLimit", DefaultName = "64mb", Merge = OutputLimits.Merge,
            Read = static s => s.ClientOutputBufferLimits, Write = static (s, value) => s.SetOutputLimits(value),
        },
        new("notify-keyspace-events", EventFlags.Kind, "",
            "The events of keys that are published: K for a channel of each key, E for one of each event, and A for "
            + "all classes, or some of them.")
        {
            IsChangeable = true, IsKept = true, DefaultName = "\"\"",
            Read = static s => EventFlags.Format(s.NotifiedEvents),
            Write = static (s, value) => s.NotifiedEvents = EventFlags.Parse(value),
        },
        Changeable("client-output-timeout", _seconds, "30",
            "Disconnect a client that receives none of its replies for this time; 0 for never.",
            static s => s.OutputStallSeconds, static (s, value) => s.OutputStallSeconds = (int)value)
            with { Option = "OutputStallTimeout" },
        new("shutdown-timeout", _seconds, "5", "How long a stop waits for clients to receive their last replies.")
            { Option = "DrainTimeout" },
        new("loglevel", new OneOfKind("debug", "verbose", "notice", "warning"), "notice",
            "The minimum level of the log.")
        {
            IsChangeable = true,
            Read = static s => s.LogLevel?.Read() ?? s.Kept.GetValueOrDefault("loglevel", "notice"),
            Write = static (s, value) =>
            {
                s.Kept["loglevel"] = value;
                s.LogLevel?.Write(value);
            },
        },
        new("log-format", new OneOfKind("text", "json"), "text",
            "The format of the log; without it, Logging:Console:FormatterName of the JSON file decides."),
        new("http-port", _port, "0", "The port of the dashboard, /metrics and /health; 0: none."),
        new("http-bind", new TextKind("addresses") { HasWords = true }, "127.0.0.1",
            "Addresses of http-port; * is all of IPv4, ::* of IPv6."),
    ];

    private static Directive Changeable(
        string name,
        ValueKind kind,
        string defaultValue,
        string meaning,
        Func<ServerSettings, long> read,
        Action<ServerSettings, long> write) =>
        new(name, kind, defaultValue, meaning)
        {
            IsChangeable = true,
            Read = s => Text(read(s)),
            Write = (s, value) => write(s, Number(value)),
        };

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static long Number(string canonical) => long.Parse(canonical, CultureInfo.InvariantCulture);
}
