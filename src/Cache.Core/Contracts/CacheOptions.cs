using System.Globalization;
using System.Numerics;

namespace Cache.Core;

/// <summary>The options of a <see cref="CacheStore"/>; read once, when the store is created.</summary>
public sealed class CacheOptions
{
    /// <summary>The longest value in bytes that any store accepts.</summary>
    internal const int LongestValue = 512 << 20;

    /// <summary>The smallest memory limit: 1 MB.</summary>
    public const long MemoryLimitMin = 1 << 20;

    /// <summary>The most shards.</summary>
    public const int ShardCountMax = 1024;

    /// <summary>The most keyspaces.</summary>
    public const int KeyspaceCountMax = 16;

    /// <summary>The highest promotion threshold: uses are counted no further.</summary>
    public const int PromotionThresholdMax = 3;

    /// <summary>
    /// The most bytes that the store may hold in all. Default: a quarter of the memory that the process may use.
    /// </summary>
    public long MemoryLimitBytes { get; set; } = Math.Max(MemoryLimitMin, AvailableMemoryBytes / 4);

    /// <summary>Which entries may be evicted when the limit is reached. Default: any.</summary>
    public EvictionPolicy Eviction { get; set; } = EvictionPolicy.AllEntries;

    /// <summary>
    /// How often a new entry must be used to stay when its segment is reclaimed first, 1 to 3. Default: 2.
    /// </summary>
    /// <remarks>
    /// Entries that are small beside the others need one use less, long ones one more, within 1 to 3.
    /// 1 keeps more entries that are used twice in a row and never again; 3 demands more uses before an entry may stay.
    /// </remarks>
    public int PromotionThreshold { get; set; } = 2;

    /// <summary>
    /// Which values are kept compressed once the limit is reached: more entries fit, and reading these takes longer.
    /// Default: none.
    /// </summary>
    public ValueCompression Compression { get; set; }

    /// <summary>
    /// Whether the store estimates what it would answer with another limit (<see cref="CacheStore.GetHitRatioCurve"/>),
    /// and lets what would answer most choose how new entries are evicted, from a sample of its keys that takes up to
    /// some 12 MB outside of the limit. Default: true.
    /// </summary>
    public bool EstimatesHitRatios { get; set; } = true;

    /// <summary>The number of shards, a power of two. Default: twice the processors, rounded up.</summary>
    public int ShardCount { get; set; } =
        (int)Math.Min(ShardCountMax, BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount * 2));

    /// <summary>The number of keyspaces (Redis: databases). Default: 16.</summary>
    public int KeyspaceCount { get; set; } = KeyspaceCountMax;

    /// <summary>The longest value in bytes. Default and maximum: 512 MB, as in Redis.</summary>
    public int ValueLengthMax { get; set; } = LongestValue;

    /// <summary>
    /// The memory that the process may use: of its container if there is one, else of the machine. The highest
    /// <see cref="MemoryLimitBytes"/>.
    /// </summary>
    public static long AvailableMemoryBytes => MachineMemory.AvailableBytes;

    /// <summary>The address space that the process may still take; read at each call.</summary>
    internal static long FreeAddressBytes => AddressSpace.ReadFreeBytes();

    /// <summary>Lists each option that is out of range, in a sentence that names it, its value and the range.</summary>
    /// <returns>An empty list if the options can be used.</returns>
    public IReadOnlyList<string> FindProblems()
    {
        var problems = new List<string>();
        RequireRange(problems, nameof(MemoryLimitBytes), MemoryLimitBytes, MemoryLimitMin, AvailableMemoryBytes);
        if (FindEvictionProblem(Eviction) is { } problem)
            problems.Add(problem);
        RequireRange(problems, nameof(PromotionThreshold), PromotionThreshold, 1, PromotionThresholdMax);
        if (FindCompressionProblem(Compression) is { } compressionProblem)
            problems.Add(compressionProblem);
        RequireRange(problems, nameof(ShardCount), ShardCount, 1, ShardCountMax);
        if (ShardCount > 0 && !BitOperations.IsPow2(ShardCount))
            problems.Add(Problem(nameof(ShardCount), ShardCount, "must be a power of two"));
        RequireRange(problems, nameof(KeyspaceCount), KeyspaceCount, 1, KeyspaceCountMax);
        RequireRange(problems, nameof(ValueLengthMax), ValueLengthMax, 1, LongestValue);
        return problems;
    }

    internal static string? FindMemoryLimitProblem(long bytes)
    {
        var problems = new List<string>();
        RequireRange(problems, nameof(MemoryLimitBytes), bytes, MemoryLimitMin, AvailableMemoryBytes);
        return problems.Count == 0 ? null : problems[0];
    }

    internal static string? FindEvictionProblem(EvictionPolicy policy) => Enum.IsDefined(policy)
        ? null
        : Problem(
            nameof(Eviction), (int)policy, $"must be one of {string.Join(", ", Enum.GetNames<EvictionPolicy>())}");

    internal static string? FindCompressionProblem(ValueCompression mode) => Enum.IsDefined(mode)
        ? null
        : Problem(
            nameof(Compression), (int)mode, $"must be one of {string.Join(", ", Enum.GetNames<ValueCompression>())}");

    internal void ThrowIfInvalid()
    {
        var problems = FindProblems();
        if (problems.Count > 0)
            throw new ArgumentException(string.Join(" ", problems));
    }

    private static void RequireRange(List<string> problems, string option, long value, long min, long max)
    {
        if (value >= min && value <= max)
            return;
        string rule = string.Create(CultureInfo.InvariantCulture, $"must be between {min} and {max}");
        problems.Add(Problem(option, value, rule));
    }

    private static string Problem(string option, long value, string rule) =>
        string.Create(CultureInfo.InvariantCulture, $"{nameof(CacheOptions)}.{option} is {value}; it {rule}.");
}
