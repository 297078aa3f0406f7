using System.Globalization;
using Cache.Durability;

namespace Cache.Server.Settings;

/// <summary>The directives for durability: Redis's, and a few for features that Redis's files lack.</summary>
/// <remarks>
/// If the program keeps nothing on disk they have no effect, and <c>appendonly yes</c> is refused.
/// </remarks>
internal static class DurabilityDirectives
{
    public const string AppendOnly = "appendonly";
    public const string Save = "save";
    public const string Folder = "dir";

    private const string Sync = "appendfsync";

    private const int PercentDefault = 100;
    private const long GrowthBytesDefault = 64 << 20;
    private const long SnapshotRateDefault = 128 << 20;

    public static IReadOnlyList<Directive> All { get; } =
    [
        new(AppendOnly, OneOfKind.YesNo, "no", "Yes: a journal keeps every change on disk.")
        {
            IsChangeable = true,
            Read = static s => s.Durability is { IsRecording: true } ? "yes" : "no",
        },
        Changeable(Sync, new OneOfKind("everysec", "always", "no"), "everysec",
            "When the journal is made durable: each second, before a reply, or whenever the system writes.",
            static (durability, value) => durability.Sync = SyncOf(value),
            static durability => NameOf(durability.Sync)),
        new(Folder, new TextKind("path"), "",
            "The parent of the folder of journal and snapshots; it must exist if any are kept. Used at the start.")
        {
            IsChangeable = true, IsProtected = true, DefaultName = "the working folder",
            Read = static s => s.Kept.GetValueOrDefault(Folder) is { Length: > 0 } path
                ? path
                : OptionText.ToLatin1(Environment.CurrentDirectory),
        },
        new("appenddirname", OddKinds.BareName("appenddirname", "dirname"), "appendonlydir",
            "The folder of journal and snapshots, within dir; created when needed."),
        new(Save, OddKinds.SavePoints, "",
            "Write a snapshot after a number of seconds with a number of changes; several pairs are allowed.")
        {
            IsChangeable = true, Merge = OddKinds.MergeSavePoints,
            Read = static s => s.Durability is { } durability
                ? string.Join(' ', durability.SavePoints.Select(static one => $"{one.Seconds} {one.Changes}"))
                : s.Kept.GetValueOrDefault(Save, ""),
        },
        Changeable("auto-aof-rewrite-percentage", new NumberKind(0, int.MaxValue, "percent"), Text(PercentDefault),
            "A snapshot replaces the journal when that has grown by this part of the last one; 0 for never.",
            static (durability, value) => durability.GrowthPercent = int.Parse(value, CultureInfo.InvariantCulture),
            static durability => Text(durability.GrowthPercent)),
        Changeable("auto-aof-rewrite-min-size", new MemoryKind(0, long.MaxValue), Text(GrowthBytesDefault),
            "The minimum size of both for that.",
            static (durability, value) => durability.GrowthBytesMin = long.Parse(value, CultureInfo.InvariantCulture),
            static durability => Text(durability.GrowthBytesMin)),
        Changeable("snapshot-max-rate",
            new MemoryKind(DurabilityOptions.SnapshotRateMin, DurabilityOptions.SnapshotRateMax)
            {
                ZeroMeans = "any number",
            },
            Text(SnapshotRateDefault), "The bytes of a snapshot that are written in a second at most; not at a stop.",
            static (durability, value) => durability.SnapshotRate = long.Parse(value, CultureInfo.InvariantCulture),
            static durability => Text(durability.SnapshotRate)),
        Changeable("rdbcompression", OneOfKind.YesNo, "yes",
            "Yes: snapshots are compressed where that makes them shorter.",
            static (durability, value) => durability.CompressesSnapshots = value == "yes",
            static durability => durability.CompressesSnapshots ? "yes" : "no"),
        new("aof-load-truncated", OneOfKind.YesNo, "yes",
            "No: a start refuses a journal whose end was being written when the machine stopped.")
            { IsChangeable = true },
        Changeable("no-appendfsync-on-rewrite", OneOfKind.YesNo, "no",
            "Yes: with appendfsync everysec the journal is not made durable while a snapshot is written.",
            static (durability, value) => durability.SkipsSyncsWhileSaving = value == "yes",
            static durability => durability.SkipsSyncsWhileSaving ? "yes" : "no"),
        Changeable("stop-writes-on-bgsave-error", OneOfKind.YesNo, "yes",
            "Yes: writes are refused after a snapshot failed, while save points are set.",
            static (durability, value) => durability.RefusesWritesAfterFailedSave = value == "yes",
            static durability => durability.RefusesWritesAfterFailedSave ? "yes" : "no"),
        new("journal-on-error", new OneOfKind("refuse", "continue"), "refuse",
            "While the journal cannot be written: refuse writes, or let them go on unrecorded."),
        new("journal-recover", new OneOfKind("strict", "skip", "force"), "strict",
            "What a start does with damaged files: refuse, skip what is damaged, or read all that is left."),
        new("journal-shared-memory", OneOfKind.YesNo, "yes",
            "Yes: changes that are not written yet survive a kill of the process, in /dev/shm."),
        new("load-max-age", new NumberKind(0, SettingBounds.SecondsMax, "seconds"), "0",
            "Load nothing if the last process ended longer ago; 0 for any time."),
    ];

    /// <summary>Whether a change of it waits for the disk.</summary>
    public static bool UsesDisk(string name) => name is AppendOnly or Save or Sync;

    public static SyncPolicy SyncOf(string value) => value switch
    {
        "always" => SyncPolicy.Always,
        "no" => SyncPolicy.No,
        _ => SyncPolicy.EverySecond,
    };

    /// <summary>Passes on the options that only a server has.</summary>
    public static void Apply(ServerSettings settings, CacheDurability durability)
    {
        durability.SkipsSyncsWhileSaving = settings.Kept.GetValueOrDefault("no-appendfsync-on-rewrite") == "yes";
        durability.RefusesWritesAfterFailedSave =
            settings.Kept.GetValueOrDefault("stop-writes-on-bgsave-error") != "no";
    }

    /// <summary>The save points of a canonical value.</summary>
    public static IReadOnlyList<SavePoint> SavePointsOf(string value)
    {
        string[] words = value.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        var points = new List<SavePoint>();
        for (int i = 0; i + 1 < words.Length; i += 2)
        {
            points.Add(new SavePoint(
                int.Parse(words[i], CultureInfo.InvariantCulture),
                int.Parse(words[i + 1], CultureInfo.InvariantCulture)));
        }

        return points;
    }

    private static Directive Changeable(
        string name, ValueKind kind, string value, string meaning, Action<CacheDurability, string> write,
        Func<CacheDurability, string> read) =>
        new(name, kind, value, meaning)
        {
            IsChangeable = true,
            Read = s => s.Durability is { } durability ? read(durability) : s.Kept.GetValueOrDefault(name, value),
            Write = (s, given) =>
            {
                s.Kept[name] = given;
                if (s.Durability is { } durability)
                    write(durability, given);
            },
        };

    private static string NameOf(SyncPolicy policy) => policy switch
    {
        SyncPolicy.Always => "always",
        SyncPolicy.No => "no",
        _ => "everysec",
    };

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
