using Cache.Server;

namespace StandaloneServer.Configuration;

/// <summary>Directives that stand in configurations of Redis and ask for what this server does not do.</summary>
/// <remarks>
/// Whoever relies on the others' answer is refused: an append only file, a cluster, a replica, ciphers. What changes
/// nothing for clients is taken, and all of it told in one warning.
/// </remarks>
internal static class CompatibilityDirectives
{
    private const string KeepsNothing = "this server keeps nothing on disk";
    private const string WithoutMeaningFile = "redis-names.txt";

    // Redis's kinds of clients; there are no replicas here, and no subscribers.
    private static readonly string[] _otherClients = ["replica", "slave", "pubsub"];

    public static IReadOnlyList<Directive> All { get; } =
    [
        new("acl-pubsub-default", "allchannels|resetchannels", "resetchannels",
            "The channels of users that ACL SETUSER makes.",
            static (given, to) => to.Keep(given.OneOf(
                ("allchannels", given), ("resetchannels", given)))),
        Kept("enable-debug-command", "there is no DEBUG"),
        Kept("enable-module-command", "there are no modules"),
        Kept("enable-protected-configs", "no parameter that CONFIG SET knows is protected"),
        Only("notify-keyspace-events", "", "keyspace notifications are not supported"),
        Only("appendonly", "no", KeepsNothing),
        Only("cluster-enabled", "no", "this server is in no cluster"),
        Only("replicaof", "", "this server is nobody's replica") with { IsList = true },
        Only("slaveof", "", "this server is nobody's replica") with { IsList = true },
        Only("loadmodule", "", "there are no modules") with { IsList = true },
        Only("tls-ca-cert-dir", "", "give the certificates in one file, tls-ca-cert-file"),
        Only("tls-ciphers", "", "the system's policy of TLS chooses ciphers"),
        Only("tls-ciphersuites", "", "the system's policy of TLS chooses ciphers"),
        Ignored("save", "", "nothing is kept on disk") with { IsList = true },
        Ignored("daemonize", "no", "the server stays in the foreground"),
        Ignored("logfile", "", "the log goes to the standard output"),
        Ignored("syslog-enabled", "no", "the log goes to the standard output"),
        Ignored("supervised", "no", "no supervisor is told that the server is ready"),
    ];

    /// <summary>A limit in one value, or in Redis's form: a kind of clients, hard limit, soft limit, seconds.</summary>
    public static void SetOutputLimit(Setting given, ServerSettings to)
    {
        if (given.Values is not [var kind, var hard, var soft, var seconds])
        {
            if (given.Values.Count > 1)
                throw given.Wrong("bytes, or a kind of clients, a hard limit, a soft limit and its seconds");
            to.Server.OutputBufferLimit =
                given.Memory(RespServerOptions.BufferLimitMin, RespServerOptions.OutputBufferLimitMax);
            return;
        }

        if (_otherClients.Contains(kind, StringComparer.OrdinalIgnoreCase))
        {
            to.Ignore($"{given.Name} {kind}", null);
            return;
        }

        // Redis's 0 is no limit; here it is the default's, since there is always one.
        if (!kind.Equals("normal", StringComparison.OrdinalIgnoreCase))
            throw given.Wrong("of normal, replica or pubsub clients");
        long bytes = (given with { Values = [hard], Label = given.Label }).Memory(
            RespServerOptions.BufferLimitMin, RespServerOptions.OutputBufferLimitMax, "64mb");
        to.Server.OutputBufferLimit = bytes == 0 ? new RespServerOptions().OutputBufferLimit : bytes;
        if (soft != "0" || seconds != "0")
            to.Ignore($"{given.Name} normal", "it has no soft limit here");
    }

    /// <summary>The names of Redis 7.0 that no directive of this program has.</summary>
    public static IEnumerable<Directive> ReadWithoutMeaning(IEnumerable<Directive> others)
    {
        var known = others.Select(static directive => directive.Name).ToHashSet();
        var stream = typeof(CompatibilityDirectives).Assembly.GetManifestResourceStream(WithoutMeaningFile)!;
        using var reader = new StreamReader(stream);
        string[] lines = reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        return
        [
            .. lines.Where(line => !line.StartsWith('#') && !known.Contains(line)).Select(static name =>
                new Directive(name, "value", "", "Of Redis; nothing here.", static (given, to) =>
                {
                    to.Keep(given);
                    to.Ignore(given.Name, null);
                }) { IsList = true, HasNoMeaning = true }),
        ];
    }

    private static Directive Only(string name, string value, string reason) =>
        new(name, Shown(value), Shown(value), $"{Shown(value)}: {reason}.",
            (given, _) => given.Only(value, reason));

    private static Directive Ignored(string name, string value, string reason) =>
        new(name, Shown(value), Shown(value), $"Has no effect: {reason}.", (given, to) =>
        {
            if (!given.Text.Equals(value, StringComparison.OrdinalIgnoreCase))
                to.Ignore(given.Name, reason);
        });

    private static Directive Kept(string name, string reason) =>
        new(name, "no|yes|local", "no", $"Has no effect: {reason}.", (given, to) =>
        {
            if (given.OneOf(("no", false), ("yes", true), ("local", true)))
                to.Ignore(given.Name, reason);
            to.Keep(given);
        });

    private static string Shown(string value) => value.Length == 0 ? "\"\"" : value;
}
