using System.Globalization;

namespace Cache.Durability;

/// <summary>The options of a <see cref="CacheDurability"/>; read once, when it is made.</summary>
public sealed class DurabilityOptions
{
    private const int SavePointsMax = 100;

    /// <summary>What survives. Default: every change.</summary>
    public DurabilityMode Mode { get; set; } = DurabilityMode.Journal;

    /// <summary>The folder of the files, of this store alone; it is made if it is not there.</summary>
    public string Directory { get; set; } = "";

    /// <summary>When the journal is made durable. Default: each second.</summary>
    public SyncPolicy Sync { get; set; } = SyncPolicy.EverySecond;

    /// <summary>What a start does with files that are damaged. Default: it refuses them.</summary>
    public RecoveryMode Recovery { get; set; } = RecoveryMode.Strict;

    /// <summary>
    /// Whether a start refuses a journal whose last blocks were being written when the machine stopped, which are else
    /// cut. Default: false.
    /// </summary>
    public bool RefusesCutEnds { get; set; }

    /// <summary>
    /// When a snapshot is written by itself. Default: after an hour with one change, after five minutes with 100, after
    /// a minute with 10,000, if the mode is <see cref="DurabilityMode.Snapshot"/>.
    /// </summary>
    public IReadOnlyList<SavePoint>? SavePoints { get; set; }

    /// <summary>
    /// By how many percent of the last snapshot's size the journal may grow until a new snapshot takes its place; 0:
    /// without end. Default: 100.
    /// </summary>
    public int JournalGrowthPercent { get; set; } = 100;

    /// <summary>The least size of snapshot and journal at which that is done. Default: 64 MB.</summary>
    public long JournalGrowthBytesMin { get; set; } = 64 << 20;

    /// <summary>
    /// Whether writes of the store throw an <see cref="IOException"/> while the journal cannot be written; else they go
    /// on unrecorded. Default: true.
    /// </summary>
    public bool RefusesWritesOnError { get; set; } = true;

    /// <summary>
    /// The longest downtime after which the files are still loaded: what was invalidated elsewhere meanwhile is not
    /// known to them. Default: null, any.
    /// </summary>
    public TimeSpan? LoadMaxAge { get; set; }

    /// <summary>Every option that is out of its range, as a sentence that names it, its value and the range.</summary>
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
