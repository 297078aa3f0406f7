namespace Cache.Server.Settings;

/// <summary>Directives in configurations of Redis that ask for missing features.</summary>
/// <remarks>
/// Refused are those on which clients or operators would rely: a replica, ciphers. Those that change nothing
/// for clients are kept, see <see cref="KeptDirectives"/>.
/// </remarks>
internal static class RefusingDirectives
{
    private const string IsNoReplica = "this server cannot be a replica";
    private const string SystemChooses = "the system's policy of TLS chooses ciphers";

    public static IReadOnlyList<Directive> All { get; } =
    [
        Only("replicaof", new TextKind("host port") { HasWords = true }, "", IsNoReplica),
        Only("slaveof", new TextKind("host port") { HasWords = true }, "", IsNoReplica) with { AliasOf = "replicaof" },
        Only("loadmodule", new TextKind("path") { HasWords = true }, "", "there are no modules")
            with { IsRepeated = true },
        Only("tls-ca-cert-dir", new TextKind("path"), "", "give the certificates in one file, tls-ca-cert-file")
            with { IsChangeable = true },
        Only("tls-ciphers", new TextKind("ciphers"), "", SystemChooses) with { IsChangeable = true },
        Only("tls-ciphersuites", new TextKind("ciphers"), "", SystemChooses) with { IsChangeable = true },
    ];

    private static Directive Only(string name, ValueKind kind, string value, string reason)
    {
        string shown = value.Length == 0 ? "\"\"" : value;
        return new(name, new RefusingKind(kind, value, reason), value, $"{shown}: {reason}.") { DefaultName = shown };
    }
}
