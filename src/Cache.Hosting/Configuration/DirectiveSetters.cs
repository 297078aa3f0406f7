using System.Globalization;
using System.Security.Authentication;
using Cache.Core;
using Cache.Server;
using Cache.Server.Settings;
using Microsoft.Extensions.Logging;

namespace Cache.Hosting.Configuration;

/// <summary>The setter of each directive; the table has the allowed values.</summary>
internal static class DirectiveSetters
{
    private const int Octal = 8;

    private static readonly Dictionary<string, Action<Setting, string, ProgramSettings>> _all = new()
    {
        ["port"] = static (_, value, to) => to.Server.Port = PortOrNull(value),
        ["bind"] = static (given, _, to) => to.Server.Bind = given.Values,
        ["unixsocket"] = static (_, value, to) => to.Server.UnixSocketPath = TextOrNull(value),
        ["admin-socket"] = static (_, value, to) => to.Server.AdminSocketPath = TextOrNull(value),
        ["unixsocketperm"] = static (_, value, to) => to.Server.UnixSocketMode =
            value == "0" ? null : (UnixFileMode)Convert.ToInt32(value, Octal),
        ["tls-port"] = static (_, value, to) => to.Server.TlsPort = PortOrNull(value),
        ["tls-cert-file"] = static (_, value, to) => to.Server.TlsCertificateFile = TextOrNull(value),
        ["tls-key-file"] = static (_, value, to) => to.Server.TlsKeyFile = TextOrNull(value),
        ["tls-key-file-pass"] = static (_, value, to) => to.Server.TlsKeyFilePassword = TextOrNull(value),
        ["tls-pfx-file"] = static (_, value, to) => to.Server.TlsPfxFile = TextOrNull(value),
        ["tls-ca-cert-file"] = static (_, value, to) => to.Server.TlsCaCertificateFile = TextOrNull(value),
        ["tls-auth-clients"] = static (_, value, to) => to.Server.TlsClientAuthentication = value switch
        {
            "yes" => TlsClientAuthentication.Required,
            "no" => TlsClientAuthentication.None,
            _ => TlsClientAuthentication.Optional,
        },
        ["tls-client-user"] = static (given, _, to) => to.Server.TlsClientUsers = WithPair(
            to.Server.TlsClientUsers, given, "a name of a certificate, or sha256: and its thumbprint, and a user"),
        ["tls-protocols"] = static (_, value, to) => to.Server.TlsProtocols = Protocols(value),
        ["tls-handshake-timeout"] = static (_, value, to) => to.Server.TlsHandshakeTimeout = Seconds(value),
        ["requirepass"] = static (_, value, to) => to.Server.RequirePass = TextOrNull(value),
        ["aclfile"] = static (_, value, to) => to.Server.AclFile = TextOrNull(value),
        ["user"] = static (_, value, to) =>
            to.Server.Users = value.Length == 0 ? to.Server.Users : [.. to.Server.Users, value],
        ["acllog-max-len"] = static (_, value, to) => to.Server.AclLogMaxLength = Integer(value),
        ["rename-command"] = static (given, _, to) => to.Server.RenamedCommands = WithPair(
            to.Server.RenamedCommands, given, "a command and its new name, or \"\" to disable it"),
        ["protected-mode"] = static (_, value, to) => to.Server.ProtectedMode = value == "yes",
        ["maxclients"] = static (_, value, to) => to.Server.MaxClients = Integer(value),
        ["reserved-clients"] = static (_, value, to) => to.Server.ReservedClients = Integer(value),
        ["accepts-per-second"] = static (_, value, to) => to.Server.AcceptsPerSecond = Integer(value),
        ["maxmemory-clients"] = SetClientMemory,
        ["auth-timeout"] = static (_, value, to) => to.Server.AuthenticationTimeout = Seconds(value),
        ["partial-request-timeout"] = static (_, value, to) => to.Server.PartialRequestTimeout = Seconds(value),
        ["io-transport"] = static (_, value, to) => to.Server.Transport = value switch
        {
            "portable" => RespTransport.Portable,
            "epoll" => RespTransport.Epoll,
            _ => new RespServerOptions().Transport,
        },
        ["io-threads"] = static (_, value, to) =>
            to.Server.IoThreadCount = value == "0" ? new RespServerOptions().IoThreadCount : Integer(value),
        ["timeout"] = static (_, value, to) => to.Server.Timeout = Seconds(value),
        ["tcp-keepalive"] = static (_, value, to) => to.Server.TcpKeepAlive = Seconds(value),
        ["tcp-backlog"] = static (_, value, to) => to.Server.Backlog = Integer(value),
        ["maxmemory"] = static (_, value, to) => to.Store.MemoryLimitBytes = MemoryLimit(value),
        ["maxmemory-policy"] = static (given, value, to) =>
        {
            to.Store.Eviction = EvictionPolicyName.ToPolicy(value);
            to.Keep(given.Name, value);
        },
        ["compression"] = static (_, value, to) => to.Store.Compression = CompressionName.ToMode(value),
        ["databases"] = static (_, value, to) => to.Store.KeyspaceCount = Integer(value),
        ["proto-max-bulk-len"] = static (_, value, to) => to.Store.ValueLengthMax = Integer(value),
        ["client-query-buffer-limit"] = static (_, value, to) => to.Server.InputBufferLimit = Long(value),
        ["client-output-buffer-limit"] = SetOutputLimits,
        ["client-output-timeout"] = static (_, value, to) => to.Server.OutputStallTimeout = Seconds(value),
        ["shutdown-timeout"] = static (_, value, to) => to.Server.DrainTimeout = Seconds(value),
        ["loglevel"] = static (_, value, to) => to.LogLevel = LevelledLogger.LevelOf(value),
        ["log-format"] = static (given, value, to) =>
        {
            to.LogFormat = value == "json" ? LogFormat.Json : LogFormat.Text;
            to.Keep(given.Name, value);
        },
        ["http-port"] = static (given, value, to) =>
        {
            to.HttpPort = Integer(value);
            to.Keep(given.Name, value);
        },
        ["http-bind"] = static (given, value, to) =>
        {
            to.HttpBind = given.Values;
            to.Keep(given.Name, value);
        },
        ["notify-keyspace-events"] = static (given, value, to) => to.Keep(given.Name, value),
        ["enable-debug-command"] = static (given, value, to) => to.Keep(given.Name, value),
        [DirectiveTable.PubSubDefault] = static (given, value, to) => to.Keep(given.Name, value),
    };

    /// <summary>Sets the option of the setting's directive, to a value that its kind accepts.</summary>
    /// <exception cref="SettingException">The directive does not accept the values.</exception>
    public static void Apply(Directive directive, Setting given, ProgramSettings to)
    {
        string value = directive.Kind.ToCanonical(given.Text);
        if (_all.TryGetValue(directive.Name, out var set) || DurabilitySetters.All.TryGetValue(directive.Name, out set))
            set(given, value, to);
        else if (!directive.HasMeaning)
            Keep(directive, given, value, to);
        else if (directive.IsKept)
            to.Keep(directive.Name, value);
    }

    // Reported, unless the value equals the present behaviour.
    private static void Keep(Directive directive, Setting given, string value, ProgramSettings to)
    {
        if (directive.IsParameter)
            to.Keep(directive, given.Text);
        if (directive.WithoutEffect is null || value != directive.Default)
            to.Ignore(given.Name, directive.WithoutEffect);
    }

    // A percentage of maxmemory, as in Redis; maxmemory may be set later.
    private static void SetClientMemory(Setting given, string value, ProgramSettings to)
    {
        bool isPercent = MemoryKind.TryParsePercent(value, out int percent);
        to.ClientMemoryPercent = percent;
        to.Server.ClientMemoryLimit = isPercent ? 0 : Long(value);
        to.Keep(given.Name, value);
    }

    private static void SetOutputLimits(Setting given, string value, ProgramSettings to)
    {
        to.OutputLimits = OutputLimits.Merge(to.OutputLimits, given.Text);
        to.Server.OutputBufferLimit = OutputLimits.HardLimitOf(to.OutputLimits);
        to.Keep(given.Name, to.OutputLimits);
        foreach (string kind in OutputLimits.FindIgnored(given.Text))
        {
            bool isNormal = kind.Equals("normal", StringComparison.OrdinalIgnoreCase);
            to.Ignore($"{given.Name} {kind}", isNormal ? "it has no soft limit here" : null);
        }
    }

    private static Dictionary<string, string> WithPair(
        IReadOnlyDictionary<string, string> pairs, Setting given, string rule)
    {
        var all = new Dictionary<string, string>(pairs);
        if (given.Text.Length == 0)
            return all;
        if (given.Values is not [var name, var value])
            throw given.Wrong(rule);
        all[name] = value;
        return all;
    }

    private static long MemoryLimit(string value)
    {
        long bytes = MemoryKind.TryParsePercent(value, out int percent)
            ? (long)((Int128)CacheOptions.AvailableMemoryBytes * percent / 100)
            : Long(value);
        return bytes == 0 ? new CacheOptions().MemoryLimitBytes : bytes;
    }

    private static SslProtocols Protocols(string value)
    {
        var protocols = SslProtocols.None;
        foreach (string name in value.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            protocols |= name.EndsWith('2') ? SslProtocols.Tls12 : SslProtocols.Tls13;
        return protocols;
    }

    private static int? PortOrNull(string value) => value == "0" ? null : Integer(value);

    private static string? TextOrNull(string value) => value.Length == 0 ? null : value;

    private static TimeSpan Seconds(string value) => TimeSpan.FromSeconds(Long(value));

    private static int Integer(string value) => int.Parse(value, CultureInfo.InvariantCulture);

    private static long Long(string value) => long.Parse(value, CultureInfo.InvariantCulture);
}
