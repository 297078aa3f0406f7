namespace Cache.Server.Settings;

/// <summary>The directives for static shards: of Redis, and of our own.</summary>
internal static class ClusterDirectives
{
    public const string Enabled = "cluster-enabled";
    public const string Nodes = "cluster-nodes";
    public const string MapFile = "cluster-map";
    public const string Self = "cluster-self";
    public const string NeedsAll = "cluster-require-full-coverage";

    public const string AllowsReads = "cluster-allow-reads-when-down";
    public const string AllowsChannels = "cluster-allow-pubsubshard-when-down";

    /// <summary>The file of the map if nothing names one.</summary>
    public const string MapFileDefault = "cluster.json";

    public static IReadOnlyList<Directive> All { get; } =
    [
        new(Enabled, OneOfKind.YesNo, "no",
            "Yes: this server owns some of the slots of keys, and tells clients who owns the others.")
            { IsKept = true },
        new(Nodes, new TextKind("host:port=slots") { HasWords = true }, "",
            "The servers of the cluster, each with its slots, or none with any: then all have the same number.")
            { IsKept = true },
        new(MapFile, new TextKind("path"), MapFileDefault,
            "The file of the servers and their slots, if cluster-nodes names none. Read again by SIGHUP.")
            { IsKept = true },
        new(Self, new TextKind("host:port"), "",
            "The name of this server among them; none: found by the port and the names and addresses of this machine.")
            { IsKept = true },
        new(NeedsAll, OneOfKind.YesNo, "no",
            "Yes: while a slot has no owner, commands with keys are refused; no: those of that slot alone.")
            { IsKept = true, IsChangeable = true },
        new(AllowsReads, OneOfKind.YesNo, "no",
            "Yes: what that refuses is only what writes.")
            { IsKept = true, IsChangeable = true },
        new(AllowsChannels, OneOfKind.YesNo, "yes",
            "Yes: commands of sharded channels are not refused then.")
            { IsKept = true, IsChangeable = true },
    ];

    /// <summary>Whether each slot must have an owner.</summary>
    public static bool NeedsAllSlots(ServerSettings settings) =>
        settings.Kept.GetValueOrDefault(NeedsAll) == "yes";

    /// <summary>Whether what writes nothing is answered while a slot that must have an owner has none.</summary>
    public static bool AllowsReadsWhenDown(ServerSettings settings) =>
        settings.Kept.GetValueOrDefault(AllowsReads) == "yes";

    /// <summary>Whether commands of sharded channels are answered then.</summary>
    public static bool AllowsChannelsWhenDown(ServerSettings settings) =>
        settings.Kept.GetValueOrDefault(AllowsChannels) != "no";
}
