using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>The parameters of CONFIG: the directives of the table, and others that the server was given.</summary>
/// <remarks>
/// The table has the allowed values and their place. This class handles the parameters that affect more than the
/// settings: the store, the listeners, the users.
/// </remarks>
internal static class ConfigParameters
{
    private const string PortRefused = "Unable to listen on this port. Check server logs.";

    // Longer than any name.
    private const int NameBytesMax = 128;

    // Longer than any value of Redis for such a parameter, which has no effect here.
    private const int KeptLengthMax = 4096;

    private static readonly Dictionary<string, Func<ServerState, string>> _reads = new()
    {
        ["maxmemory"] = static server => Text(server.Store.MemoryLimitBytes),
        ["maxmemory-policy"] = static server =>
            EvictionPolicyName.Of(server.Store.Eviction, server.Settings.MaxMemoryPolicy),
        ["compression"] = static server => CompressionName.Of(server.Store.Compression),
        ["databases"] = static server => Text(server.Store.KeyspaceCount),
        [DirectiveTable.PubSubDefault] = static server =>
            server.Users.GivesAllChannels ? DirectiveTable.AllChannels : "resetchannels",
    };

    // Each takes a valid value, in canonical form.
    private static readonly Dictionary<string, Func<ServerState, string, ConfigChange>> _changes = new()
    {
        ["port"] = static (_, text) => MovePort(int.Parse(text, CultureInfo.InvariantCulture)),
        ["tls-port"] = static (server, text) => MoveTlsPort(server, int.Parse(text, CultureInfo.InvariantCulture)),
        ["bind"] = static (_, text) => MoveBind(text),
        ["maxclients"] = PrepareMaxClients,
        ["tcp-keepalive"] = PrepareKeepAlive,
        ["maxmemory"] = PrepareMaxMemory,
        ["maxmemory-clients"] = PrepareClientMemory,
        ["maxmemory-policy"] = PreparePolicy,
        ["compression"] = static (_, name) =>
            ConfigChange.To(state => state.Store.Compression = CompressionName.ToMode(name)),
        ["proto-max-bulk-len"] = PrepareValueLength,
        ["requirepass"] = PreparePassword,
        ["slowlog-max-len"] = PrepareSlowLogLength,
        ["commandlog-slow-execution-max-len"] = PrepareSlowLogLength,
        ["commandlog-large-request-max-len"] = PrepareLargeRequestsLength,
        ["commandlog-large-reply-max-len"] = PrepareLargeRepliesLength,
        [DurabilityDirectives.AppendOnly] = DurabilityChanges.PrepareAppendOnly,
        [DurabilityDirectives.Save] = DurabilityChanges.PrepareSave,
        ["notify-keyspace-events"] = static (_, text) => ConfigChange.To(state =>
        {
            state.Settings.NotifiedEvents = EventFlags.Parse(text);
            state.Notifications.Set(state.Settings.NotifiedEvents);
        }),
        [DirectiveTable.PubSubDefault] = static (_, text) =>
            ConfigChange.To(state => state.Users.GivesAllChannels = text == DirectiveTable.AllChannels),
    };

    /// <summary>The directive of a name, which comes from a client; null if there is none.</summary>
    /// <param name="name">The name, in Latin-1.</param>
    /// <param name="server">The server, with the kept directives.</param>
    /// <param name="text">The name as it was given, if there is such a directive; else empty.</param>
    public static Directive? Find(ReadOnlySpan<byte> name, ServerState server, out string text)
    {
        text = name.Length > NameBytesMax ? "" : Encoding.Latin1.GetString(name);
        var found = DirectiveTable.Find(text) is { } directive
            ? directive.IsParameter ? directive : null
            : server.Settings.Kept.ContainsKey(text) ? Unknown(text) : null;
        if (found is null)
            text = "";
        return found;
    }

    /// <summary>All parameters of CONFIG GET.</summary>
    public static IEnumerable<Directive> AllOf(ServerState server)
    {
        foreach (var directive in DirectiveTable.All)
        {
            if (directive.IsParameter)
                yield return directive;
        }

        foreach (string name in server.Settings.Kept.Keys)
        {
            if (DirectiveTable.Find(name) is null)
                yield return Unknown(name);
        }
    }

    /// <summary>The present value; a char is a byte.</summary>
    public static string Read(Directive directive, ServerState server) =>
        _reads.TryGetValue(directive.Name, out var read) ? read(server) : directive.ReadFrom(server.Settings);

    /// <summary>Checks a value without changing anything.</summary>
    public static ConfigChange Prepare(Directive directive, ServerState server, string text)
    {
        if (!directive.HasMeaning && text.Length > KeptLengthMax)
            return ConfigChange.Refused("argument is too long");
        if (directive.Kind.FindProblem(text) is { } problem)
            return ConfigChange.Refused(problem);
        if (directive.Name == "client-output-buffer-limit")
            return PrepareOutputLimits(server, text);
        string canonical = directive.Kind.ToCanonical(text);
        if (EncodingDirectives.AreOf(directive))
            return PrepareEncoding(directive, canonical);
        return _changes.TryGetValue(directive.Name, out var prepare)
            ? prepare(server, canonical)
            : ConfigChange.To(state => directive.WriteTo(state.Settings, canonical));
    }

    // Directives that the program gave to the server, besides Redis's own.
    private static Directive Unknown(string name) =>
        new(name.ToLowerInvariant(), new TextKind("text"), Default: "", Meaning: "") { IsChangeable = true };

    private static ConfigChange PrepareEncoding(Directive directive, string text) => ConfigChange.To(state =>
    {
        directive.WriteTo(state.Settings, text);
        state.Store.EncodingLimits = EncodingDirectives.Of(state.Settings);
    });

    private static ConfigChange PrepareMaxClients(ServerState server, string text)
    {
        int count = int.Parse(text, CultureInfo.InvariantCulture);
        int max = server.Settings.MaxClientsMax;
        return count > max
            ? ConfigChange.Refused(
                "The operating system is not able to handle the specified number of clients, try with " + Text(max))
            : ConfigChange.To(state => state.Settings.MaxClients = count);
    }

    private static ConfigChange PrepareKeepAlive(ServerState server, string text)
    {
        int seconds = int.Parse(text, CultureInfo.InvariantCulture);
        return ConfigChange.To(state =>
        {
            state.Settings.TcpKeepAliveSeconds = seconds;
            state.KeepAliveChanged?.Invoke(seconds);
        });
    }

    private static ConfigChange MovePort(int port) => ConfigChange.Moved(
        place => place with { Port = port }, state => state.Settings.Port = port, PortRefused);

    // Certificates are read only at the start.
    private static ConfigChange MoveTlsPort(ServerState server, int port) =>
        port != 0 && !server.Settings.HasCertificates
            ? RefuseTlsPort(server, port)
            : ConfigChange.Moved(
                place => place with { TlsPort = port },
                state => state.Settings.TlsPort = port,
                PortRefused);

    private static ConfigChange RefuseTlsPort(ServerState server, int port)
    {
        server.LogListenRefused?.Invoke(
            $"tls-port has {Text(port)}; the server was started without a certificate. Start it with one.");
        return ConfigChange.Refused("Unable to update TLS configuration. Check server logs.");
    }

    private static ConfigChange MoveBind(string text) =>
        text.AsSpan().Count(' ') >= SettingBounds.BindAddressesMax
            ? ConfigChange.Refused("Too many bind addresses specified.")
            : ConfigChange.Moved(
                place => place with { Bind = text },
                state => state.Settings.Bind = text,
                "Failed to bind to specified addresses.");

    // In Redis, 0 means no limit; here half of the store's limit.
    private static ConfigChange PrepareClientMemory(ServerState server, string text)
    {
        bool isPercent = MemoryKind.TryParsePercent(text, out int percent);
        long bytes = isPercent ? 0 : long.Parse(text, CultureInfo.InvariantCulture);
        return ConfigChange.To(state =>
        {
            state.Settings.ClientMemoryPercent = percent;
            state.Settings.ClientMemoryLimit = bytes;
            ShareWithClients(state);
        });
    }

    // A percentage of the store's limit changes with that limit.
    private static void ShareWithClients(ServerState server)
    {
        if (server.Settings.ClientMemoryPercent is > 0 and var percent)
        {
            long bytes = PartOf(server.Store.MemoryLimitBytes, percent);
            server.Settings.ClientMemoryLimit = Math.Max(SettingBounds.BufferBytesMin, bytes);
        }
    }

    // In Redis, 0 means no limit; the store always has one, so it gets all memory that the process may use.
    private static ConfigChange PrepareMaxMemory(ServerState server, string text)
    {
        long most = CacheOptions.AvailableMemoryBytes;
        long bytes = MemoryKind.TryParsePercent(text, out int percent)
            ? PartOf(most, percent)
            : long.Parse(text, CultureInfo.InvariantCulture);
        if (bytes == 0)
            bytes = most;
        return ConfigChange.To(state =>
        {
            state.Store.MemoryLimitBytes = bytes;
            ShareWithClients(state);
        });
    }

    /// <summary>The limit of the store for a value in a file.</summary>
    public static string ToMemoryLimit(string value)
    {
        long bytes = MemoryKind.TryParsePercent(value, out int percent)
            ? PartOf(CacheOptions.AvailableMemoryBytes, percent)
            : long.Parse(value, CultureInfo.InvariantCulture);
        return Text(bytes == 0 ? new CacheOptions().MemoryLimitBytes : bytes);
    }

    private static long PartOf(long bytes, int percent) => (long)((Int128)bytes * percent / 100);

    private static ConfigChange PreparePolicy(ServerState server, string name) =>
        ConfigChange.To(state =>
        {
            state.Settings.MaxMemoryPolicy = name;
            state.Store.Eviction = EvictionPolicyName.ToPolicy(name);
        });

    // The store does not accept longer values than it was created for.
    private static ConfigChange PrepareValueLength(ServerState server, string text)
    {
        long bytes = long.Parse(text, CultureInfo.InvariantCulture);
        int max = server.Store.ValueLengthLimit;
        return bytes > max
            ? ConfigChange.Refused(string.Create(
                CultureInfo.InvariantCulture,
                $"argument must be between {SettingBounds.BufferBytesMin} and {max} inclusive"))
            : ConfigChange.To(state => state.Settings.ProtoMaxBulkLength = bytes);
    }

    private static ConfigChange PrepareOutputLimits(ServerState server, string given) => ConfigChange.To(state =>
        state.Settings.SetOutputLimits(OutputLimits.Merge(state.Settings.ClientOutputBufferLimits, given)));

    private static ConfigChange PreparePassword(ServerState server, string text) =>
        ConfigChange.To(state =>
        {
            state.Settings.RequirePass = Encoding.Latin1.GetBytes(text);
            state.Users.SetDefaultPassword(state.Settings.RequirePass);
        });

    // As in Redis, a shorter log loses its oldest entries at once, not with the next slow call.
    private static ConfigChange PrepareSlowLogLength(ServerState server, string text)
    {
        long length = long.Parse(text, CultureInfo.InvariantCulture);
        return ConfigChange.To(state =>
        {
            state.Settings.SlowLogLengthMax = length;
            state.SlowLog.Trim(length);
        });
    }

    private static ConfigChange PrepareLargeRequestsLength(ServerState server, string text)
    {
        long length = long.Parse(text, CultureInfo.InvariantCulture);
        return ConfigChange.To(state =>
        {
            state.Settings.LargeRequestLengthMax = length;
            state.LargeRequests.Trim(length);
        });
    }

    private static ConfigChange PrepareLargeRepliesLength(ServerState server, string text)
    {
        long length = long.Parse(text, CultureInfo.InvariantCulture);
        return ConfigChange.To(state =>
        {
            state.Settings.LargeReplyLengthMax = length;
            state.LargeReplies.Trim(length);
        });
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
