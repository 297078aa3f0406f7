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
    private const string StreamContracts = "Cache.Core.Contracts.Streams";
    private const string Layout = "Cache.Core.Layout";
    private const string Sharding = "Cache.Core.Sharding";
    private const string Operations = "Cache.Core.Operations";
    private const string Collections = "Cache.Core.Collections";
    private const string PackedForms = "Cache.Core.Collections.Packed";
    private const string CollectedLists = "Cache.Core.Collections.Lists";
    private const string CollectedHashes = "Cache.Core.Collections.Hashes";
    private const string CollectedSets = "Cache.Core.Collections.Sets";
    private const string CollectedSortedSets = "Cache.Core.Collections.SortedSets";
    private const string CollectedStreams = "Cache.Core.Collections.Streams";
    private const string Objects = "Cache.Core.Collections.Objects";
    private const string Trees = "Cache.Core.Collections.Trees";
    private const string FieldClock = "Cache.Core.Expiry.FieldClock";
    private const string Packing = "Cache.Core.Packing";
    private const string Curve = "Cache.Core.Curve";
    private const string Changes = "Cache.Core.Changes";
    private const string Server = "Cache.Server";
    private const string Protocol = "Cache.Server.Protocol";
    private const string SharedProtocol = "Cache.Protocol";
    private const string Asking = "Cache.Client";
    private const string NearContracts = "Cache.Near.Contracts";
    private const string Scripts = "Cache.Server.Scripts";
    private const string Settings = "Cache.Server.Settings";
    private const string Statistics = "Cache.Server.Statistics";
    private const string Security = "Cache.Server.Security";
    private const string Clients = "Cache.Server.Clients";
    private const string Notifications = "Cache.Server.Notifications";
    private const string PubSub = "Cache.Server.PubSub";
    private const string Waits = "Cache.Server.Waits";
    private const string Watches = "Cache.Server.Watches";
    private const string ClusterMaps = "Cache.Server.Cluster";
    private const string Commands = "Cache.Server.Commands";
    private const string Table = "Cache.Server.Commands.Table";
    private const string Replies = "Cache.Server.Commands.Replies";
    private const string Arguments = "Cache.Server.Commands.Arguments";
    private const string Dispatch = "Cache.Server.Commands.Dispatch";
    private const string Popping = "Cache.Server.Commands.Popping";
    private const string Transport = "Cache.Server.Transport";
    private const string Lending = "Cache.Server.Transport.LendingPipeWriter";
    private const string Lent = "Cache.Server.Transport.LentBytes";
    private const string Filling = "Cache.Server.Transport.FillingPipeReader";
    private const string Target = "Cache.Server.Transport.FillTarget";
    private const string Diagnostics = "Cache.Server.Diagnostics";
    private const string Metrics = "Cache.Server.Metrics";
    private const string Doctor = "Cache.Server.Doctor";
    private const string Package = "Cache.Server.Package";
    private const string KeyFigures = "Cache.Server.Keyspace";
    private const string Verbs = "Cache.Tool.Verbs";
    private const string Kept = "Cache.Durability";
    private const string KeptContracts = "Cache.Durability.Contracts";
    private const string Tracking = "Cache.Server.Tracking";
    private const string Logging = "Microsoft.Extensions.Logging";

    /// <summary>Namespaces whose arrows are checked; what lies elsewhere is the runtime's.</summary>
    public static bool IsChecked(string space) =>
        space == "Cache" || space.StartsWith("Cache.") || space.StartsWith("Microsoft.Extensions.")
        || space.StartsWith("Microsoft.AspNetCore.");

    public static IReadOnlyDictionary<string, string[]> Allowed { get; } = new Dictionary<string, string[]>
    {
        [Core] =
        [
            Contracts, StreamContracts, Changes, Sharding, Operations, "Cache.Core.ManyKeys", "Cache.Core.Bits",
            "Cache.Core.Validation", "Cache.Core.Log", Layout, "Cache.Core.Eviction", "Cache.Core.Expiry",
            "Cache.Core.Hashing", Packing, Curve, "Microsoft.Extensions.Options", Collections, PackedForms, Objects,
            CollectedHashes, CollectedLists, CollectedSets, CollectedSortedSets, CollectedStreams,
            Trees, // A reading in parts goes on with a cursor.
        ],
        // What users name: values, options, statuses. Its namespace is Cache.Core.
        [Contracts] = [],
        // The same of streams.
        [StreamContracts] = [],
        // What journals and observers are told; a value that is told may lie in a block.
        [Changes] = [Layout, Contracts],
        // Compares what a store says of itself with what is there; for tests.
        ["Cache.Core.Validation"] =
        [
            Sharding, "Cache.Core.Log", Layout, Packing, "Cache.Core.Compression", Objects, Trees,
            "Cache.Core.Contracts.EntryKind",
        ],
        // Writes of one key; an operation on several may end as one of these.
        [Operations] = [Sharding, Changes, Curve, Layout, "Cache.Core.Expiry", Contracts],
        // A codec of small collections: it sees nothing of the store.
        [PackedForms] = ["Cache.Core.Contracts.EntryKind"],
        // Reads and writes of a key's collection, as Operations of a string.
        [Collections] =
        [
            PackedForms, Objects, Trees, Operations, Sharding, Changes, Curve, Layout, Contracts, FieldClock,
        ],
        [CollectedHashes] =
        [
            Collections, PackedForms, Objects, Trees, Operations, Sharding, Layout, Contracts, FieldClock,
        ],
        [CollectedLists] = [Collections, PackedForms, Objects, Trees, Sharding, Layout, Contracts],
        [CollectedStreams] = [Collections, PackedForms, Objects, Trees, Sharding, Layout, Contracts, StreamContracts],
        [CollectedSets] = [Collections, PackedForms, Objects, Trees, Operations, Sharding, Layout, Contracts],
        [CollectedSortedSets] = [Collections, PackedForms, Objects, Trees, Sharding, Layout, Contracts],
        // Large collections: trees, and the objects that keys have of them. It knows no key.
        // A score has one form, in both.
        [Objects] =
        [
            Trees, PackedForms, Layout, "Cache.Core.Log", "Cache.Core.Hashing", Contracts, StreamContracts, FieldClock,
        ],
        ["Cache.Core.Bits"] = [Operations, Sharding, Changes, Layout, Contracts],
        ["Cache.Core.ManyKeys"] =
            [Operations, Sharding, Changes, Curve, "Cache.Core.Log", Layout, "Cache.Core.Expiry", Objects, Contracts],
        // The keyed hash is held beside the shards that it fills.
        [Sharding] =
        [
            Changes, "Cache.Core.Log", Layout, "Cache.Core.Eviction", "Cache.Core.Expiry", Contracts,
            "Cache.Core.Hashing", Packing, "Cache.Core.Compression", Curve, PackedForms, Objects, Trees,
        ],
        // Simulates the eviction for a sample of the keys; it knows their hashes only.
        [Curve] = ["Cache.Core.Eviction", Contracts],
        // Collections' trees: order and pages, and nothing of keys, types or locks.
        [Trees] = [Layout],
        // Decides which values are compressed; who moves the records asks it.
        [Packing] = ["Cache.Core.Log", Layout, "Cache.Core.Compression", Contracts],
        // It counts the compressed records, whose first byte says which dictionary they need.
        ["Cache.Core.Log"] = [Layout, "Cache.Core.Expiry", "Cache.Core.Compression", Contracts],
        // A record's header tells the kind of its value by the name that users know.
        [Layout] = ["Cache.Core.Contracts.EntryKind"],
        // Ghosts lie in a reservation, whose memory goes back without the collector.
        ["Cache.Core.Eviction"] = [Layout],
        ["Cache.Core.Expiry"] = [Layout],
        ["Cache.Core.Hashing"] = [],
        // A codec of bytes: it sees nothing of what they are.
        ["Cache.Core.Compression"] = [],
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

        // What client and server share of the protocol: it sees bytes only.
        [SharedProtocol] = [],

        // A client of servers: bytes, replies, connections.
        [Asking] = [SharedProtocol],

        // Scripts: the native library, 5.1 as 5.4, and what runs them in a server.
        ["Cache.Scripting.Native"] = [],
        ["Cache.Scripting.Translation"] = [],
        ["Cache.Scripting.Running"] =
            ["Cache.Scripting.Native", "Cache.Scripting.Translation", Scripts, Replies, Protocol, SharedProtocol],
        ["Cache.Scripting"] = ["Cache.Scripting.Running", "Cache.Scripting.Native", Server],
        // The near cache. What users name; its namespace is Cache.Near.
        [NearContracts] = [Asking],
        ["Cache.Near.Entries"] = [Core, Contracts, SharedProtocol],
        // One link to each primary: it knows no layout of values, and no user's door.
        ["Cache.Near.Links"] = [NearContracts, "Cache.Near.Entries", Asking, SharedProtocol, Contracts],
        ["Cache.Near.Layouts"] = [NearContracts, Asking, SharedProtocol],
        // Reads and writes under way.
        ["Cache.Near.Flights"] =
            [NearContracts, "Cache.Near.Entries", "Cache.Near.Links", "Cache.Near.Layouts", Asking, SharedProtocol],
        ["Cache.Near"] =
        [
            NearContracts, "Cache.Near.Entries", "Cache.Near.Links", "Cache.Near.Layouts", "Cache.Near.Flights", Asking,
            SharedProtocol, Contracts, "Cache.Core.Distributed.Utf8Key",
            "Microsoft.Extensions.Diagnostics.HealthChecks",
        ],
        ["Cache.Near.Distributed"] =
            ["Cache.Near", "Cache.Near.Layouts", "Microsoft.Extensions.Caching.Distributed"],
        // What keeps a hybrid cache true: the links without reads and writes, and the one class that it asks.
        ["Cache.Near.Hybrid"] =
        [
            "Cache.Near.NearMetrics", "Cache.Near.NearStatus", "Cache.Near.NearHealthCheck", NearContracts,
            "Cache.Near.Entries", "Cache.Near.Links", Asking, "Cache.Core.Hybrid",
            "Microsoft.Extensions.Caching.Distributed",
            "Microsoft.Extensions.Diagnostics.HealthChecks", "Microsoft.Extensions.Options",
        ],
        ["Cache.Near.DependencyInjection"] =
        [
            "Cache.Near", NearContracts, "Cache.Near.Distributed", "Cache.Near.Hybrid", "Cache.Core.Hybrid", Asking,
            "Microsoft.Extensions",
        ],

        // Composes.
        [Server] =
        [
            Transport, "Cache.Server.Transport.Sockets", "Cache.Server.Transport.Linux", "Cache.Server.Transport.Tls",
            "Cache.Server.Connections", ClusterMaps, Protocol, Commands, Dispatch, Table, Clients, Security, Settings,
            Statistics, "Cache.Server.Commands.Administration", "Cache.Server.Commands.Cluster", PubSub, Notifications,
            Metrics, Diagnostics, Core, Contracts, Kept, Logging, Scripts, "Cache.Server.Commands.Scripts",
        ],
        [Transport] = [],
        ["Cache.Server.Transport.Sockets"] = [Transport],
        ["Cache.Server.Transport.Linux"] = [Transport, "Cache.Server.Transport.Sockets.SocketAcceptor"],
        // TLS is put over any connection, by a listener over any listener.
        ["Cache.Server.Transport.Tls"] = [Transport],
        // A value goes between the store and the socket without a copy: the one names its bytes, the other takes them.
        [Protocol] = [Lending, Lent, "Cache.Server.Transport.CopiedMemory", SharedProtocol],
        // CONFIG reads and sets what is kept on disk.
        [Settings] = [Contracts, Kept, KeptContracts],
        [Statistics] = [],
        [Table] = [Arguments, Protocol],
        [Arguments] = [Protocol, Core, Contracts],
        [Replies] = [Protocol, Lent, Core, Contracts],
        [Security] = [Table, Arguments, Protocol, Settings],
        [Clients] = [Security, Settings, Table, Core],
        // Channels and who is subscribed to them; a publisher writes what it gets itself.
        [PubSub] = [Clients, Arguments, Protocol],
        // The changes of keys become messages, in the words of commands.
        [Notifications] = [PubSub, Table, Arguments, Settings, Protocol, Core, Contracts, Changes],
        // Who is told of which changed keys: an observer of the store's changes.
        [Tracking] = [Clients, Settings, Core, Contracts, Changes],
        // Which keys are watched, and which of them were written: an observer of the store's changes.
        [Watches] = [Statistics, Core, Contracts, Changes],
        // A table of who waits for which key; it observes the store, and lets each family serve its own.
        [Waits] =
        [
            Notifications, Tracking, Clients, Protocol, "Cache.Server.Commands.Replies.CollectingPipeWriter", Core,
            Contracts, Changes,
        ],
        // Which server owns which slot of keys, and whether the keys of a request are of one slot of this server.
        [ClusterMaps] = [Table, Protocol],
        [Dispatch] =
        [
            ClusterMaps, Tracking, PubSub, Notifications, Waits, Watches, Clients, Security, Settings, Statistics,
            Table, Replies, Arguments, Protocol, Target, Core, Contracts, Kept, Changes, Scripts,
        ],
        // The scripts that are known, and what brings an interpreter; it sees no command.
        [Scripts] = [Protocol],
        // How several families take elements, or wait for some: a frame, for which each has a struct.
        [Popping] = [Dispatch, Waits, Replies, Arguments, Clients, Protocol, Core, Contracts],
        // Families of commands: what several need goes to Dispatch, Replies or Arguments, never from one to another.
        ["Cache.Server.Commands.Strings"] =
            [Dispatch, Replies, Arguments, Clients, Settings, Protocol, Core, Contracts],
        // The name of the eviction policy says which figures OBJECT knows.
        // DUMP and RESTORE: what files of Redis have of one value.
        ["Cache.Server.Commands.Keys"] =
            [Dispatch, Replies, Arguments, Clients, Settings, Protocol, Core, Contracts, "Cache.Durability.Dumps"],
        // A key is removed only if nobody has written it on its way.
        ["Cache.Server.Commands.Migration"] =
        [
            Dispatch, Replies, Arguments, Clients, Watches, Waits, Protocol, Core, Contracts, "Cache.Durability.Dumps",
        ],
        ["Cache.Server.Commands.Hashes"] =
            [Dispatch, Replies, Arguments, Clients, Protocol, Core, Contracts],
        ["Cache.Server.Commands.Lists"] =
            [Dispatch, Popping, Replies, Arguments, Waits, Clients, Protocol, Core, Contracts],
        ["Cache.Server.Commands.Streams"] =
            [Dispatch, Notifications, Replies, Arguments, Waits, Clients, Protocol, Core, Contracts, StreamContracts],
        ["Cache.Server.Commands.HyperLogLogs"] =
            [Dispatch, Replies, Arguments, Protocol, Core, Contracts],
        // Its patterns read any key, which a user may have no right to.
        ["Cache.Server.Commands.Sorting"] =
            [Dispatch, Table, Replies, Arguments, Clients, Security, Protocol, Core, Contracts],
        ["Cache.Server.Commands.Sets"] = [Dispatch, Replies, Arguments, Clients, Protocol, Core, Contracts],
        ["Cache.Server.Commands.SortedSets"] =
            [Dispatch, Popping, Replies, Arguments, Clients, Protocol, Core, Contracts],
        ["Cache.Server.Commands.Geo"] = [Dispatch, Replies, Arguments, Protocol, Core, Contracts],
        ["Cache.Server.Commands.PubSub"] = [Dispatch, PubSub, Clients, Security, Replies, Arguments, Protocol],
        ["Cache.Server.Commands.Bits"] = [Dispatch, Replies, Arguments, Clients, Settings, Protocol, Core, Contracts],
        ["Cache.Server.Commands.Cluster"] =
        [
            Dispatch, ClusterMaps, Replies, Arguments, Clients, PubSub, Waits, Protocol, Core, Contracts,
            "Cache.Server.Commands.Administration.FolderSync",
        ],
        ["Cache.Server.Commands.Session"] =
            [Dispatch, Tracking, PubSub, Replies, Arguments, Clients, Security, Settings, Protocol, Core],
        ["Cache.Server.Commands.Administration"] =
        [
            Dispatch, Tracking, PubSub, Notifications, Waits, Watches, Table, Replies, Arguments, Clients, Security,
            Settings, Statistics, Protocol, Core, Contracts, Kept, KeptContracts, "Cache.Durability.Control", Doctor,
            Scripts,
        ],
        // Which keys, and which kinds of keys, take and make most; the commands that tell it.
        [KeyFigures] = [Dispatch, Replies, Arguments, Settings, Statistics, Protocol, Core, Contracts],
        // Rules over figures; only their reading knows the server.
        [Doctor] = [KeyFigures, Dispatch, Table, Clients, Settings, Statistics, Core, Contracts, Kept],
        // A copy of all figures for somebody else, and the command that asks for it.
        [Package] =
        [
            "Cache.Server.Commands.Administration", Doctor, KeyFigures, Dispatch, Table, Replies, Arguments, Clients,
            Security, Settings, Statistics, Protocol, Core, Contracts,
        ],
        // The queue and the sections are Dispatch's, where all commands pass.
        ["Cache.Server.Commands.Transactions"] =
            [Dispatch, Watches, Table, Replies, Arguments, Clients, Security, Statistics, Protocol, Core, Contracts],
        ["Cache.Server.Commands.Scripts"] =
        [
            Scripts, Dispatch, ClusterMaps, Waits, Table, Replies, Arguments, Clients, Security, Settings, Protocol,
            // What a simple script does is as much work as a transaction.
            "Cache.Server.Commands.Transactions", Core, Contracts,
            // Functions have Redis's form, and outlive the process.
            SharedProtocol, Kept, "Cache.Durability.Dumps",
        ],
        // All families, and the common GET and SET.
        [Commands] =
        [
            Package, KeyFigures, Dispatch, Table, Replies, Clients, Statistics, Protocol,
            "Cache.Server.Commands.Strings", "Cache.Server.Commands.Sets", "Cache.Server.Commands.SortedSets",
            "Cache.Server.Commands.Hashes", "Cache.Server.Commands.Bits", "Cache.Server.Commands.Keys",
            "Cache.Server.Commands.Lists", "Cache.Server.Commands.Streams", "Cache.Server.Commands.HyperLogLogs",
            "Cache.Server.Commands.Sorting", "Cache.Server.Commands.Migration",
            "Cache.Server.Commands.Session", "Cache.Server.Commands.Administration", "Cache.Server.Commands.Geo",
            "Cache.Server.Commands.PubSub", "Cache.Server.Commands.Transactions", "Cache.Server.Commands.Cluster",
            "Cache.Server.Commands.Scripts", Core,
            Contracts,
        ],
        // Log messages hold no stage, so a stage may write them.
        ["Cache.Server.Connections"] =
        [
            Dispatch, Tracking, Waits, Table, Replies, Clients, Security, Settings, Statistics, Protocol,
            "Cache.Server.Transport.TransportConnection", "Cache.Server.Transport.TransportListener", Filling, Target,
            Diagnostics, Kept, Logging,
        ],
        [Diagnostics] = [Logging],

        // A server's registration builds on the store's.
        ["Cache.Hosting"] =
        [
            Core, Contracts, "Cache.Core.DependencyInjection", "Cache.Core.Hybrid", Server, "Microsoft.Extensions",
            "Cache.Server.Settings.MemorySize", Kept, KeptContracts,
        ],

        // The program's sources; each directive is a row of the server's table.
        ["Cache.Hosting.Configuration"] =
            ["Cache.Hosting", Core, Contracts, Server, Settings, Kept, KeptContracts, "Microsoft.Extensions"],

        // A third door in process, and its registration.
        ["Cache.AspNetCore"] =
        [
            Core, Contracts, "Cache.Core.DependencyInjection", "Microsoft.AspNetCore.OutputCaching",
            "Microsoft.Extensions.DependencyInjection",
        ],

        // Shows the figures of INFO to people and to collectors; stages know nothing of it.
        [Metrics] =
        [
            "Cache.Server.Commands.Administration", Dispatch, Table, Statistics, Clients, Settings, Core, Contracts,
        ],
        // A page over the same figures: it reads the server's state, and ends clients.
        ["Cache.Dashboard"] =
        [
            "Cache.Dashboard.Data", "Cache.Dashboard.Live", Server, Metrics, Dispatch, Clients, Core, Contracts,
            "Microsoft.AspNetCore", "Microsoft.Extensions",
        ],
        ["Cache.Dashboard.Live"] =
            [Metrics, Dispatch, Clients, Statistics, Core, Contracts, Kept, "Microsoft.AspNetCore"],
        ["Cache.Dashboard.Data"] =
        [
            "Cache.Dashboard.Live", Metrics, Doctor, KeyFigures, "Cache.Server.Commands.Administration", Dispatch,
            Table, Arguments, Clients, Security, Settings, Statistics, Core, Contracts, "Microsoft.AspNetCore",
            "Microsoft.Extensions.Primitives",
        ],

        // What users name: modes, policies, a status. Its namespace is Cache.Durability.
        [KeptContracts] = [],
        // Composes: one thread loads, others write, save and heal.
        [Kept] =
        [
            KeptContracts, "Cache.Durability.Control", "Cache.Durability.Attachment", "Cache.Durability.Journaling",
            "Cache.Durability.Staging", "Cache.Durability.Catalog", "Cache.Durability.Files", Core, Contracts, Logging,
        ],
        // When a snapshot is written, and what is told of it.
        ["Cache.Durability.Control"] =
        [
            KeptContracts, "Cache.Durability.Attachment", "Cache.Durability.Journaling", "Cache.Durability.Recovery",
            Logging,
        ],
        ["Cache.Durability.DependencyInjection"] = [Kept, "Cache.Durability.Control", Core, "Microsoft.Extensions"],
        // Bottom up: files know no format, the format knows no store.
        ["Cache.Durability.Files"] = [],
        // The files of Redis: what they hold is given on, and nothing is known of ours.
        ["Cache.Durability.Rdb"] = [],
        ["Cache.Durability.Format"] = [],
        ["Cache.Durability.Catalog"] = ["Cache.Durability.Files", "Cache.Durability.Format"],
        ["Cache.Durability.Recovery"] =
            [
                "Cache.Durability.Catalog", "Cache.Durability.Files", "Cache.Durability.Format",
                "Cache.Core.Compression",
            ],
        // Memory that outlives the process is mapped where all pointers are.
        ["Cache.Durability.Staging"] =
            ["Cache.Durability.Files", "Cache.Durability.Format", "Cache.Core.Layout.SharedMapping"],
        ["Cache.Durability.Journaling"] =
        [
            KeptContracts, "Cache.Durability.Staging", "Cache.Durability.Recovery", "Cache.Durability.Catalog",
            "Cache.Durability.Files", "Cache.Durability.Format", "Cache.Core.Compression",
        ],
        // The only room that sees a store: through what is public of it.
        ["Cache.Durability.Attachment"] =
        [
            // A collection of a file is checked before it is stored.
            Core, Contracts, StreamContracts, Changes, Collections, CollectedSets, CollectedSortedSets,
            CollectedStreams, PackedForms, Objects, KeptContracts,
            "Cache.Durability.Journaling",
            "Cache.Durability.Staging",
            "Cache.Durability.Recovery", "Cache.Durability.Catalog", "Cache.Durability.Files",
            "Cache.Durability.Format",
        ],

        // Values of a store as files of Redis have them: for the tool's files, and for DUMP and RESTORE.
        ["Cache.Durability.Dumps"] =
        [
            Core, Contracts, StreamContracts, "Cache.Durability.Attachment", "Cache.Durability.Format",
            "Cache.Durability.Rdb",
        ],

        // Composes; reads and writes files by what the library is made of.
        ["Cache.Tool"] =
        [
            Verbs, "Cache.Tool.Analysis", "Cache.Tool.Cluster", "Cache.Tool.Live", "Cache.Tool.Standalone",
            "Cache.Tool.Migration", "Cache.Tool.Configuration", Core, Contracts, StreamContracts,
            "Cache.Durability.Attachment", "Cache.Durability.Journaling",
            "Cache.Durability.Recovery", "Cache.Durability.Dumps",
            "Cache.Durability.Rdb", "Cache.Durability.Catalog", "Cache.Durability.Files",
            "Cache.Durability.Format",
        ],
        // The doctor's rules, over the figures of a package.
        ["Cache.Tool.Analysis"] = [Verbs, Doctor, Package],
        // The server as a program: one of the verbs, and the sample.
        ["Cache.Tool.Standalone"] =
        [
            "Cache.Hosting", "Cache.Hosting.Configuration", "Cache.Dashboard", "Cache.Dashboard.Live",
            "Cache.Scripting", Server, Dispatch, Table, Arguments, "Cache.Server.Commands.Administration", Protocol,
            Clients, Security, Settings, "Cache.Server.Settings.Directive", Core, Contracts,
            "Cache.Core.DependencyInjection", Kept, KeptContracts, "Cache.Durability.DependencyInjection",
            "Microsoft.Extensions", "Microsoft.AspNetCore",
        ],
        // Asks running servers; counts durations as these do.
        ["Cache.Tool.Live"] = [Verbs, "Cache.Tool.Client", Statistics],
        // Compares maps of slots, and sends them.
        ["Cache.Tool.Cluster"] = [Verbs, "Cache.Tool.Client", ClusterMaps],
        // Copies between servers and files of Redis (decision 275).
        ["Cache.Tool.Migration"] =
            [Verbs, "Cache.Tool.Client", "Cache.Durability.Rdb", "Cache.Durability.Catalog"],
        ["Cache.Tool.Client"] = [Verbs],
        // What the server would say of a configuration.
        ["Cache.Tool.Configuration"] = [Verbs, "Cache.Hosting.Configuration", Server, Core, Contracts],
        // What a verb is, and how it tells of things.
        [Verbs] = [],
    };

    /// <summary>A folder that a package was made of in part: whoever may see it may see that package.</summary>
    public static IReadOnlyDictionary<string, string> Parts { get; } = new Dictionary<string, string>
    {
        [Protocol] = SharedProtocol,
    };

    /// <summary>Which project of src/ may reference which.</summary>
    public static IReadOnlyDictionary<string, string[]> Projects { get; } = new Dictionary<string, string[]>
    {
        [Core] = [],
        [Kept] = [Core],
        [SharedProtocol] = [],
        [Asking] = [SharedProtocol],
        ["Cache.Near"] = [Core, Asking, SharedProtocol],
        [Server] = [Core, Kept, SharedProtocol],
        ["Cache.Scripting"] = [Core, SharedProtocol, Server],
        ["Cache.Hosting"] = [Server, Kept, Core],
        ["Cache.AspNetCore"] = [Core],
        ["Cache.Dashboard"] = [Core, Server],
        ["Cache.Tool"] = [Kept, Server, "Cache.Scripting", "Cache.Hosting", "Cache.Dashboard"],
    };

    /// <summary>The packages of src/: the Microsoft.Extensions abstractions, and what checks the build.</summary>
    /// <remarks>
    /// The builder of health checks is in no abstraction (decision 41). The command is a program: nobody compiles
    /// against it, and its package holds what it runs (decision 142).
    /// </remarks>
    public static bool IsAllowedPackage(string project, string package) =>
        (project == "Cache.Tool"
            && package is "Microsoft.Extensions.Hosting" or "Spectre.Console" or "System.CommandLine")
        || (project == "Cache.Scripting" && package == "KeraLua") // Its native library (decision 270).
        || package is "Microsoft.Extensions.Options" or "Microsoft.CodeAnalysis.BannedApiAnalyzers"
            or "Microsoft.Extensions.Diagnostics.HealthChecks"
        || package.StartsWith("Microsoft.Extensions.") && package.EndsWith(".Abstractions");
}
