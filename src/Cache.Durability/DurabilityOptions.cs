using System.Globalization;

namespace Cache.Durability;

/// <summary>The options of a <see cref="CacheDurability"/>; read once, when it is made.</summary>
public sealed class DurabilityOptions
{
    // A GB in a quarter of an hour; and more than any disk writes.
    internal const long SnapshotRateMin = 1 << 20;
    internal const long SnapshotRateMax = 1L << 40;

    private const int SavePointsMax = 100;

    /// <summary>Which entries survive. Default: every change.</summary>
    public DurabilityMode Mode { get; set; } = DurabilityMode.Journal;

    /// <summary>The folder of the files, for this store only; it is created if it does not exist.</summary>
    public string Directory { get; set; } = "";

    /// <summary>When records of the journal are made durable. Default: each second.</summary>
    public SyncPolicy Sync { get; set; } = SyncPolicy.EverySecond;

    /// <summary>What a start does with damaged files. Default: it refuses them.</summary>
    public RecoveryMode Recovery { get; set; } = RecoveryMode.Strict;

    /// <summary>
    /// Whether a start refuses a journal whose last blocks were being written when the machine stopped; otherwise it
    /// truncates them. Default: false.
    /// </summary>
    public bool RefusesCutEnds { get; set; }

    /// <summary>
    /// When a snapshot is written automatically. Default: after an hour with one change, after five minutes with 100,
    /// after a minute with 10,000, if the mode is <see cref="DurabilityMode.Snapshot"/>.
    /// </summary>
    public IReadOnlyList<SavePoint>? SavePoints { get; set; }

    /// <summary>
    /// The percentage of the last snapshot's size by which the journal may grow until a new snapshot replaces it; 0:
    /// unlimited. Default: 100.
    /// </summary>
    public int JournalGrowthPercent { get; set; } = 100;

    /// <summary>The minimum size of snapshot and journal for that. Default: 64 MB.</summary>
    public long JournalGrowthBytesMin { get; set; } = 64 << 20;

    /// <summary>
    /// The bytes of a snapshot that are written in a second at most, so that clients keep the disk and the processors;
    /// 0: any number. The snapshot of a stop is not limited. Default: 128 MB, half of what a processor can write.
    /// </summary>
    public long SnapshotBytesPerSecondMax { get; set; } = 128 << 20;

    /// <summary>
    /// Whether blocks of a snapshot are compressed that become shorter by it. Default: true.
    /// </summary>
    public bool CompressesSnapshots { get; set; } = true;

    /// <summary>
    /// Whether writes of the store throw an <see cref="IOException"/> while the journal cannot be written; else they
    /// continue unrecorded, and the next start finds nothing unless new files were written meanwhile. Default: false,
    /// since a full disk is no reason for an application to fail. The stand-alone server refuses them, as Redis does.
    /// </summary>
    public bool RefusesWritesOnError { get; set; }

    /// <summary>
    /// Whether changes that are not written to the journal yet lie in memory that outlives a killed process, so that
    /// the next start finds them: a file in /dev/shm, on Linux. It takes 1 MB, up to 25 MB while the disk is slower
    /// than writers, and is removed at a clean stop. Where it cannot be made, a note of the start says why. Default:
    /// true.
    /// </summary>
    public bool UsesSharedMemory { get; set; } = true;

    /// <summary>
    /// The longest downtime after which the files are still loaded: they do not know what was invalidated elsewhere
    /// meanwhile. Default: null, any.
    /// </summary>
    public TimeSpan? LoadMaxAge { get; set; }

    /// <summary>
    /// Whether the folder above <see cref="Directory"/> must exist: a misspelt one would be made, and found without the
    /// files that are in the other.
    /// </summary>
    internal bool NeedsParent { get; set; }

    /// <summary>Lists each option that is out of range, in a sentence that names it, its value and the range.</summary>
    /// <returns>An empty list if the options can be used.</returns>
    public IReadOnlyList<string> FindProblems()
    {
        var problems = new List<string>();
        RequireOneOf(problems, nameof(Mode), Mode);
        RequireOneOf(problems, nameof(Sync), Sync);
        RequireOneOf(problems, nameof(Recovery), Recovery);
        if (Mode != DurabilityMode.Off && string.IsNullOrWhiteSpace(Directory))
            problems.Add(Problem(nameof(Directory), "empty", "must be the path of a folder"));
        if (SavePoints is { Count: > SavePointsMax })
            problems.Add(Problem(nameof(SavePoints), Text(SavePoints.Count), $"must have at most {SavePointsMax}"));
        foreach (var point in SavePoints ?? [])
        {
            if (point.Seconds < 1 || point.Changes < 0)
                problems.Add(Problem(nameof(SavePoints), $"{point}", "must have seconds from 1, changes from 0"));
        }

        if (JournalGrowthPercent < 0)
            problems.Add(Problem(nameof(JournalGrowthPercent), Text(JournalGrowthPercent), "must not be negative"));
        if (JournalGrowthBytesMin < 0)
            problems.Add(Problem(nameof(JournalGrowthBytesMin), Text(JournalGrowthBytesMin), "must not be negative"));
        if (SnapshotBytesPerSecondMax is < 0 or (> 0 and < SnapshotRateMin) or > SnapshotRateMax)
        {
            problems.Add(Problem(
                nameof(SnapshotBytesPerSecondMax), Text(SnapshotBytesPerSecondMax),
                $"must be from {SnapshotRateMin} to {SnapshotRateMax}, or 0"));
        }

        if (LoadMaxAge is { } age && age <= TimeSpan.Zero)
            problems.Add(Problem(nameof(LoadMaxAge), $"{age}", "must be more than 0, or null"));
        return problems;
    }

    internal void ThrowIfInvalid()
    {
        var problems = FindProblems();
        if (problems.Count > 0)
            throw new ArgumentException(string.Join(" ", problems));
    }

    private static void RequireOneOf<T>(List<string> problems, string option, T value)
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value))
            problems.Add(Problem(option, $"{value:d}", $"must be one of {string.Join(", ", Enum.GetNames<T>())}"));
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static string Problem(string option, string value, string rule) =>
        $"{nameof(DurabilityOptions)}.{option} is {value}; it {rule}.";
}
