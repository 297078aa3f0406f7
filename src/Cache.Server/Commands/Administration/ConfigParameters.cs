using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Security;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>The parameters of Redis that mean something here.</summary>
internal static class ConfigParameters
{
    public const string PubSubDefault = "acl-pubsub-default";
    public const string AllChannels = "allchannels";
    private const string ResetChannels = "resetchannels";

    /// <summary>The most addresses that are listened on: Redis's.</summary>
    public const int BindAddressesMax = 16;

    // Redis's own least bound of both buffers.
    private const long BufferBytesMin = 1 << 20;

    private const string PortRefused = "Unable to listen on this port. Check server logs.";

    // What fits every clock, as at the start.
    private const int SecondsMax = int.MaxValue / 1000;

    // More than any name has.
    private const int NameBytesMax = 128;

    // What one contiguous buffer of a connection may be.
    private const long QueryBufferBytesMax = 1 << 30;

    // Longer than any value that Redis has for such a parameter; it is kept for nothing.
    private const int KeptLengthMax = 4096;

    private static readonly Dictionary<string, ConfigParameter> _byName = new(StringComparer.OrdinalIgnoreCase);

    static ConfigParameters()
    {
        foreach (var parameter in All)
            _byName.Add(parameter.Name, parameter);
    }

    /// <summary>All of them.</summary>
    public static IReadOnlyList<ConfigParameter> All { get; } =
    [
        new("maxmemory", server => Text(server.Store.MemoryLimitBytes), PrepareMaxMemory),
        new("maxmemory-policy", ReadPolicy, PreparePolicy),
        Integer(
            "maxmemory-samples", 1, int.MaxValue, s => s.MaxMemorySamples, (s, value) => s.MaxMemorySamples = value),
        new("maxclients", server => Text(server.Settings.MaxClients), PrepareMaxClients),
        new("protected-mode", s => YesNo(s.Settings.IsProtected), PrepareProtectedMode),
        new("maxmemory-clients", ReadClientMemory, PrepareClientMemory),
        Integer(
            "auth-timeout", 0, SecondsMax, s => s.AuthenticationSeconds, (s, value) => s.AuthenticationSeconds = value),
        Integer(
            "partial-request-timeout", 0, SecondsMax,
            s => s.PartialRequestSeconds, (s, value) => s.PartialRequestSeconds = value),
        Integer(
            "client-output-timeout", 0, SecondsMax,
            s => s.OutputStallSeconds, (s, value) => s.OutputStallSeconds = value),
        Integer("timeout", 0, int.MaxValue, s => s.TimeoutSeconds, (s, value) => s.TimeoutSeconds = value),
        new("tcp-keepalive", server => Text(server.Settings.TcpKeepAliveSeconds), PrepareKeepAlive),
        new("requirepass", server => Encoding.Latin1.GetString(server.Settings.RequirePass), PreparePassword),
        Fixed("aclfile", s => Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(s.Settings.AclFile))),
        Integer("acllog-max-len", 0, AclLog.LengthMax, s => s.AclLogLengthMax, (s, value) => s.AclLogLengthMax = value),
        new(PubSubDefault, s => s.Users.GivesAllChannels ? AllChannels : ResetChannels, PreparePubSubDefault),
        Fixed("enable-debug-command", s => s.Settings.Kept.GetValueOrDefault("enable-debug-command", "no")),
        Fixed("databases", server => Text(server.Store.KeyspaceCount)),
        new("port", server => Text(server.Settings.Port), PreparePort),
        new("bind", server => server.Settings.Bind, PrepareBind),
        Fixed("unixsocket", server => Latin1(server.Settings.UnixSocketPath)),
        new("tls-port", server => Text(server.Settings.TlsPort), PrepareTlsPort),
        Fixed("tls-cert-file", server => Latin1(server.Settings.Tls.CertificateFile)),
        Fixed("tls-key-file", server => Latin1(server.Settings.Tls.KeyFile)),
        Fixed("tls-key-file-pass", server => Latin1(server.Settings.Tls.KeyFilePassword)),
        Fixed("tls-ca-cert-file", server => Latin1(server.Settings.Tls.CaCertificateFile)),
        Fixed("tls-auth-clients", server => server.Settings.Tls.ClientAuthentication),
        Fixed("tls-protocols", server => server.Settings.Tls.Protocols),
        Memory(
            "proto-max-bulk-len", CacheStore.ValueLengthMax,
            s => s.ProtoMaxBulkLength, (s, value) => s.ProtoMaxBulkLength = value),
        Memory(
            "client-query-buffer-limit", QueryBufferBytesMax,
            s => s.ClientQueryBufferLimit, (s, value) => s.ClientQueryBufferLimit = value),
        Only("notify-keyspace-events", "", "keyspace notifications are not supported yet"),
        Only("save", "", "snapshots are not supported yet"),
        Switch("appendonly", isOn: false, "the append only file is not supported yet"),
        Switch("replica-read-only", isOn: true, "replicas are not supported yet"),
        Switch("slave-read-only", isOn: true, "replicas are not supported yet"),
    ];

    /// <summary>The same by the name's bytes, which are any client's, and one that was kept too.</summary>
    /// <param name="name">Latin-1.</param>
    /// <param name="server">What was kept.</param>
    /// <param name="text">The name as it was given, if there is such a parameter; else empty.</param>
    public static ConfigParameter? Find(ReadOnlySpan<byte> name, ServerState server, out string text)
    {
        text = name.Length > NameBytesMax ? "" : Encoding.Latin1.GetString(name);
        var parameter = Find(text) ?? FindKept(text, server);
        if (parameter is null)
            text = "";
        return parameter;
    }

    /// <summary>The parameter of that name, in any case of letters; null if there is none.</summary>
    public static ConfigParameter? Find(string name) => _byName.GetValueOrDefault(name);

    /// <summary>All of them, and those that the server was given without a meaning.</summary>
    public static List<ConfigParameter> AllOf(ServerState server)
    {
        List<ConfigParameter> all = [.. All];
        foreach (string name in server.Settings.Kept.Keys)
        {
            if (Find(name) is null)
                all.Add(Kept(name.ToLowerInvariant()));
        }

        return all;
    }

    private static ConfigParameter? FindKept(string name, ServerState server) =>
        server.Settings.Kept.ContainsKey(name) ? Kept(name.ToLowerInvariant()) : null;

    private static ConfigParameter Kept(string name) => new(
        name, server => server.Settings.Kept.GetValueOrDefault(name, ""),
        (_, text) => text.Length > KeptLengthMax
            ? ConfigChange.Refused("argument is too long")
            : ConfigChange.To(server => server.Settings.Kept[name] = text));

    private static ConfigParameter Fixed(string name, Func<ServerState, string> read) => new(name, read, null);

    private static ConfigParameter Integer(
        string name, int min, int max, Func<ServerSettings, int> read, Action<ServerSettings, int> write) =>
        new(name, server => Text(read(server.Settings)), (_, text) =>
            PrepareInteger(text, min, max, value => ConfigChange.To(server => write(server.Settings, value))));

    private static ConfigChange PrepareInteger(string text, int min, int max, Func<int, ConfigChange> prepare)
    {
        if (!RespInteger.TryParse(Encoding.Latin1.GetBytes(text), out long value))
            return ConfigChange.Refused("argument couldn't be parsed into an integer");
        return value < min || value > max ? OutOfRange(min, max) : prepare((int)value);
    }

    private static ConfigParameter Memory(
        string name, long max, Func<ServerSettings, long> read, Action<ServerSettings, long> write) =>
        new(name, server => Text(read(server.Settings)), (_, text) =>
        {
            if (!MemorySize.TryParse(text, out long bytes))
                return ConfigChange.Refused("argument must be a memory value");
            if (bytes < BufferBytesMin || bytes > max)
                return OutOfRange(BufferBytesMin, max);
            return ConfigChange.To(server => write(server.Settings, bytes));
        });

    private static ConfigChange PrepareMaxClients(ServerState server, string text)
    {
        int max = server.Settings.MaxClientsMax;
        return PrepareInteger(text, 1, int.MaxValue, count => count > max
            ? ConfigChange.Refused(
                "The operating system is not able to handle the specified number of clients, try with " + Text(max))
            : ConfigChange.To(state => state.Settings.MaxClients = count));
    }

    private static ConfigChange PrepareKeepAlive(ServerState server, string text) =>
        PrepareInteger(text, 0, int.MaxValue, seconds => ConfigChange.To(state =>
        {
            state.Settings.TcpKeepAliveSeconds = seconds;
            state.KeepAliveChanged?.Invoke(seconds);
        }));

    private static ConfigChange PreparePort(ServerState server, string text) =>
        PrepareInteger(text, 0, ushort.MaxValue, port => ConfigChange.Moved(
            place => place with { Port = port },
            state => state.Settings.Port = port,
            PortRefused));

    // Certificates are read at the start alone.
    private static ConfigChange PrepareTlsPort(ServerState server, string text) =>
        PrepareInteger(text, 0, ushort.MaxValue, port => port != 0 && !server.Settings.HasCertificates
            ? RefuseTlsPort(server, port)
            : ConfigChange.Moved(
                place => place with { TlsPort = port },
                state => state.Settings.TlsPort = port,
                PortRefused));

    private static ConfigChange RefuseTlsPort(ServerState server, int port)
    {
        server.LogListenRefused?.Invoke(
            $"tls-port has {Text(port)}; the server was started without a certificate. Start it with one.");
        return ConfigChange.Refused("Unable to update TLS configuration. Check server logs.");
    }

    private static ConfigChange PrepareBind(ServerState server, string text)
    {
        int count = 1;
        foreach (char one in text)
        {
            if (one == ' ')
                count++;
        }

        return count > BindAddressesMax
            ? ConfigChange.Refused("Too many bind addresses specified.")
            : ConfigChange.Moved(
                place => place with { Bind = text },
                state => state.Settings.Bind = text,
                "Failed to bind to specified addresses.");
    }

    private static ConfigChange PrepareProtectedMode(ServerState server, string text)
    {
        if (!TryParseYesNo(text, out bool isYes))
            return ConfigChange.Refused("argument must be 'yes' or 'no'");
        return ConfigChange.To(state => state.Settings.IsProtected = isYes);
    }

    private static string ReadClientMemory(ServerState server) => server.Settings.ClientMemoryPercent > 0
        ? Text(server.Settings.ClientMemoryPercent) + "%"
        : Text(server.Settings.ClientMemoryLimit);

    // Redis's 0 stands for no limit; here for a half of the store's.
    private static ConfigChange PrepareClientMemory(ServerState server, string text)
    {
        bool isPercent = text.EndsWith('%');
        if (isPercent ? !TryParsePercent(text, out long value) : !MemorySize.TryParse(text, out value))
            return ConfigChange.Refused("argument must be a memory or percent value");
        if (isPercent && value > 100)
            return ConfigChange.Refused("percentage argument must be less or equal to 100");
        if (!isPercent && value is > 0 and < BufferBytesMin)
            return OutOfRange(BufferBytesMin, long.MaxValue);
        return ConfigChange.To(state =>
        {
            state.Settings.ClientMemoryPercent = isPercent ? (int)value : 0;
            state.Settings.ClientMemoryLimit = isPercent ? 0 : value;
            ShareWithClients(state);
        });
    }

    private static bool TryParsePercent(string text, out long percent) =>
        RespInteger.TryParse(Encoding.Latin1.GetBytes(text[..^1]), out percent) && percent >= 0;

    // A part of the store's limit changes with it.
    private static void ShareWithClients(ServerState server)
    {
        if (server.Settings.ClientMemoryPercent is > 0 and var percent)
        {
            long bytes = (long)((Int128)server.Store.MemoryLimitBytes * percent / 100);
            server.Settings.ClientMemoryLimit = Math.Max(BufferBytesMin, bytes);
        }
    }

    private static bool TryParseYesNo(string text, out bool isYes)
    {
        isYes = text.Equals("yes", StringComparison.OrdinalIgnoreCase);
        return isYes || text.Equals("no", StringComparison.OrdinalIgnoreCase);
    }

    private static string YesNo(bool isYes) => isYes ? "yes" : "no";

    // Known by clients, but with one value only.
    private static ConfigParameter Only(string name, string value, string problem) =>
        new(name, _ => value, (_, text) =>
            text == value ? ConfigChange.To(static _ => { }) : ConfigChange.Refused(problem));

    private static ConfigParameter Switch(string name, bool isOn, string problem) =>
        new(name, _ => YesNo(isOn), (_, text) =>
        {
            if (!TryParseYesNo(text, out bool isYes))
                return ConfigChange.Refused("argument must be 'yes' or 'no'");
            return isYes == isOn ? ConfigChange.To(static _ => { }) : ConfigChange.Refused(problem);
        });

    // Redis's 0 stands for no limit; the store always has one, so it gets all that the process may use.
    private static ConfigChange PrepareMaxMemory(ServerState server, string text)
    {
        if (!MemorySize.TryParse(text, out long bytes))
            return ConfigChange.Refused("argument must be a memory value");
        if (bytes == 0)
            bytes = CacheOptions.AvailableMemoryBytes;
        return bytes < CacheOptions.MemoryLimitMin || bytes > CacheOptions.AvailableMemoryBytes
            ? OutOfRange(CacheOptions.MemoryLimitMin, CacheOptions.AvailableMemoryBytes)
            : ConfigChange.To(state =>
            {
                state.Store.MemoryLimitBytes = bytes;
                ShareWithClients(state);
            });
    }

    private static string ReadPolicy(ServerState server) =>
        EvictionPolicyName.Of(server.Store.Eviction, server.Settings.MaxMemoryPolicy);

    private static ConfigChange PreparePolicy(ServerState server, string text)
    {
        foreach (string name in EvictionPolicyName.All)
        {
            if (!name.Equals(text, StringComparison.OrdinalIgnoreCase))
                continue;
            return ConfigChange.To(server =>
            {
                server.Settings.MaxMemoryPolicy = name;
                server.Store.Eviction = EvictionPolicyName.ToPolicy(name);
            });
        }

        return ConfigChange.Refused(
            "argument(s) must be one of the following: " + string.Join(", ", EvictionPolicyName.All));
    }

    private static ConfigChange PreparePubSubDefault(ServerState server, string text)
    {
        bool isAll = text.Equals(AllChannels, StringComparison.OrdinalIgnoreCase);
        return isAll || text.Equals(ResetChannels, StringComparison.OrdinalIgnoreCase)
            ? ConfigChange.To(state => state.Users.GivesAllChannels = isAll)
            : ConfigChange.Refused($"argument(s) must be one of the following: {AllChannels}, {ResetChannels}");
    }

    private static ConfigChange PreparePassword(ServerState server, string text) =>
        ConfigChange.To(state =>
        {
            state.Settings.RequirePass = Encoding.Latin1.GetBytes(text);
            state.Users.SetDefaultPassword(state.Settings.RequirePass);
        });

    private static ConfigChange OutOfRange(long min, long max) =>
        ConfigChange.Refused(string.Create(
            CultureInfo.InvariantCulture, $"argument must be between {min} and {max} inclusive"));

    // UTF-8, of which each byte is a char.
    private static string Latin1(string text) => Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(text));

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
