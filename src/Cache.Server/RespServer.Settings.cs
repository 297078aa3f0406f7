using System.Globalization;
using Cache.Core;
using Cache.Server.Security;
using Cache.Server.Settings;

namespace Cache.Server;

/// <summary>The settings that CONFIG shows at the start.</summary>
public sealed partial class RespServer
{
    private const int Octal = 8;

    private static ServerSettings ToSettings(RespServerOptions options, CacheStore store)
    {
        var settings = new ServerSettings
        {
            Port = options.Port ?? 0,
            Bind = string.Join(' ', options.Bind),
            UnixSocketPath = options.UnixSocketPath ?? "",
            AdminSocketPath = options.AdminSocketPath ?? "",
            ConfigurationFile = options.ConfigurationFile is { Length: > 0 } file ? Path.GetFullPath(file) : "",
            Tls = ToTlsParameters(options),
            MaxClients = options.MaxClients,
            ReservedClients = options.ReservedClients,
            IsProtected = options.ProtectedMode,
            AclFile = options.AclFile ?? "",
            AclLogLengthMax = options.AclLogMaxLength,
            ClientMemoryLimit = options.ClientMemoryLimit,
            AuthenticationSeconds = Seconds(options.AuthenticationTimeout),
            PartialRequestSeconds = Seconds(options.PartialRequestTimeout),
            TimeoutSeconds = Seconds(options.Timeout),
            TcpKeepAliveSeconds = Seconds(options.TcpKeepAlive),
            ProtoMaxBulkLength = Math.Max(SettingBounds.BufferBytesMin, store.ValueLengthLimit),
            ClientQueryBufferLimit = options.InputBufferLimit,
            OutputStallSeconds = Seconds(options.OutputStallTimeout),
            Durability = options.Durability,
            Origins = options.Origins,
        };
        settings.SetPassword(options.RequirePass);
        KeepGiven(options, settings);
        KeepFixed(options, settings);
        settings.ClientOutputBufferLimit = options.OutputBufferLimit;
        if (options.Durability is { } durability)
            DurabilityDirectives.Apply(settings, durability);
        return settings;
    }

    // As it was written, if the option has another form: several names mean one policy, and a percentage becomes bytes.
    // Other directives are taken from their options.
    private static void KeepGiven(RespServerOptions options, ServerSettings settings)
    {
        foreach (var (name, value) in options.KeptParameters)
        {
            string text = AclText.FromOption(value);
            var directive = DirectiveTable.Find(name);
            if (directive is null)
                settings.Kept[name] = text;
            else if (directive.Kind.FindProblem(text) is null)
                Keep(directive, directive.Kind.ToCanonical(text), settings);
        }
    }

    private static void Keep(Directive directive, string value, ServerSettings settings)
    {
        if (directive.Name == "maxmemory-policy")
            settings.MaxMemoryPolicy = value;
        else if (directive.Name == "client-output-buffer-limit")
            settings.SetOutputLimits(value);
        else if (directive.Name == "maxmemory-clients" && MemoryKind.TryParsePercent(value, out int percent))
            settings.ClientMemoryPercent = percent;
        else if (directive.IsKept)
            directive.WriteTo(settings, value);
        else if (directive.Option is null)
            settings.Kept[directive.AliasOf ?? directive.Name] = value;
    }

    // Directives that only a start uses. Values that the server has chosen itself are shown as the value that lets it
    // choose.
    private static void KeepFixed(RespServerOptions options, ServerSettings settings)
    {
        var kept = settings.Kept;
        kept["unixsocketperm"] = Convert.ToString((int)(options.UnixSocketMode ?? 0), Octal);
        kept["accepts-per-second"] = Text(options.AcceptsPerSecond);
        var defaults = new RespServerOptions();
        bool isAuto = options.Transport == defaults.Transport;
        string transport = options.Transport == RespTransport.Epoll ? "epoll" : "portable";
        kept["io-transport"] = isAuto ? "auto" : transport;
        settings.Transport = transport;
        settings.IoThreads = options.Transport == RespTransport.Epoll ? options.IoThreadCount : 1;
        kept["io-threads"] = Text(options.IoThreadCount == defaults.IoThreadCount ? 0 : options.IoThreadCount);
        kept["tcp-backlog"] = Text(options.Backlog);
        kept["shutdown-timeout"] = Text(Seconds(options.DrainTimeout));
        kept["tls-handshake-timeout"] = Text(Seconds(options.TlsHandshakeTimeout));
    }

    // A fraction of a second becomes a second: 0 would mean never.
    private static int Seconds(TimeSpan time) => (int)Math.Ceiling(time.TotalSeconds);

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
