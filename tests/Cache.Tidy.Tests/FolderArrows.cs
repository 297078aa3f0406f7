namespace Cache.Tidy.Tests;

/// <summary>Which folder may see which. A new arrow needs a record in docs/decisions.</summary>
/// <remarks>
/// A key is a folder's namespace; its values are namespaces, or single types where only these are the contract of a
/// folder. Everything of the runtime may be seen by all; namespaces of packages are listed like ours.
/// </remarks>
internal static class FolderArrows
{
    private const string Core = "Cache.Core";
    private const string Contracts = "Cache.Core.Contracts";
    private const string Server = "Cache.Server";
    private const string Lending = "Cache.Server.Transport.LendingPipeWriter";
    private const string Lent = "Cache.Server.Transport.LentBytes";
    private const string Piece = "Cache.Server.Transport.OutputPiece";
    private const string Filling = "Cache.Server.Transport.FillingPipeReader";
    private const string Target = "Cache.Server.Transport.FillTarget";
    private const string Logging = "Microsoft.Extensions.Logging";

    /// <summary>Namespaces whose arrows are checked; what lies elsewhere is the runtime's.</summary>
    public static bool IsChecked(string space) =>
        space == "Cache" || space.StartsWith("Cache.") || space.StartsWith("Microsoft.Extensions.")
        || space.StartsWith("Microsoft.AspNetCore.");

    public static IReadOnlyDictionary<string, string[]> Allowed { get; } = new Dictionary<string, string[]>
    {
        [Core] =
        [
            Contracts, "Cache.Core.Sharding", "Cache.Core.Layout", "Cache.Core.Eviction", "Cache.Core.Expiry",
            "Cache.Core.Hashing", "Cache.Core.Collections", "Microsoft.Extensions.Options",
        ],
        [Contracts] = [],
        // The options are a leaf that every stage may read; the keyed hash is held beside the shards that it fills.
        ["Cache.Core.Sharding"] =
        [
            "Cache.Core.Eviction", "Cache.Core.Expiry", "Cache.Core.Layout", Contracts, "Cache.Core.Hashing",
            "Cache.Core.CacheOptions",
        ],
        ["Cache.Core.Layout"] = [],
        // Ghosts lie in a reservation, whose memory goes back without the collector.
        ["Cache.Core.Eviction"] = ["Cache.Core.Layout"],
        ["Cache.Core.Expiry"] = ["Cache.Core.Layout"],
        ["Cache.Core.Hashing"] = [],
        ["Cache.Core.Collections"] = ["Cache.Core.Layout", Contracts],
        ["Cache.Core.Distributed"] =
            [Core, Contracts, "Microsoft.Extensions.Caching.Distributed", "Microsoft.Extensions.Options"],
        // Both doors turn the same strings into the same keys; the second level is the framework's contract.
        ["Cache.Core.Hybrid"] =
        [
            Core, Contracts, "Cache.Core.Distributed.Utf8Key", "Microsoft.Extensions.Caching.Distributed",
            "Microsoft.Extensions.Caching.Hybrid",
        ],
        // Registration is where the doors are put together.
        ["Cache.Core.DependencyInjection"] =
        [
            Core, Contracts, "Cache.Core.Distributed", "Cache.Core.Hybrid", "Cache.Core.Diagnostics",
            "Microsoft.Extensions",
        ],
        ["Cache.Core.Diagnostics"] = [Core, Contracts, "Cache.Core.Hybrid"],

        [Server] =
        [
            "Cache.Server.Transport", "Cache.Server.Connections", "Cache.Server.Protocol", "Cache.Server.Commands",
            "Cache.Server.Diagnostics", "Cache.Server.Transport.Linux", "Cache.Server.Transport.Tls", Core, Contracts,
            Logging,
        ],
        ["Cache.Server.Transport"] = [],
        ["Cache.Server.Transport.Linux"] =
        [
            "Cache.Server.Transport.TransportConnection", "Cache.Server.Transport.SocketAcceptor", Lending, Lent,
            Filling, Target, Piece,
        ],
        // TLS is put over any connection, by a listener over any listener.
        ["Cache.Server.Transport.Tls"] =
        [
            "Cache.Server.Transport.TransportConnection", "Cache.Server.Transport.TransportListener", Lending, Lent,
            Piece,
        ],
        // Log messages hold no stage, so a stage may write them.
        ["Cache.Server.Connections"] =
        [
            "Cache.Server.Protocol", "Cache.Server.Commands", "Cache.Server.Transport.TransportConnection",
            "Cache.Server.Transport.TransportListener", Filling, Target, "Cache.Server.Diagnostics", Logging,
        ],
        // A value goes between the store and the socket without a copy: the one names its bytes, the other takes them.
        ["Cache.Server.Protocol"] = [Lending, Lent],
        ["Cache.Server.Commands"] = ["Cache.Server.Protocol", Lent, Target, Core, Contracts],
        ["Cache.Server.Diagnostics"] = [Logging],

        // A server's registration builds on the store's.
        ["Cache.Hosting"] =
        [
            Core, Contracts, "Cache.Core.DependencyInjection", "Cache.Core.Hybrid", Server, "Microsoft.Extensions",
        ],

        // A third door in process, and its registration.
        ["Cache.AspNetCore"] =
        [
            Core, Contracts, "Cache.Core.DependencyInjection", "Microsoft.AspNetCore.OutputCaching",
            "Microsoft.Extensions.DependencyInjection",
        ],
    };

    /// <summary>Which project of src/ may reference which.</summary>
    public static IReadOnlyDictionary<string, string[]> Projects { get; } = new Dictionary<string, string[]>
    {
        [Core] = [],
        [Server] = [Core],
        ["Cache.Hosting"] = [Server, Core],
        ["Cache.AspNetCore"] = [Core],
    };

    /// <summary>The packages of src/: the Microsoft.Extensions abstractions, and what checks the build.</summary>
    /// <remarks>The builder of health checks is in no abstraction (decision 41).</remarks>
    public static bool IsAllowedPackage(string package) =>
        package is "Microsoft.Extensions.Options" or "Microsoft.CodeAnalysis.BannedApiAnalyzers"
            or "Microsoft.Extensions.Diagnostics.HealthChecks"
        || package.StartsWith("Microsoft.Extensions.") && package.EndsWith(".Abstractions");
}
