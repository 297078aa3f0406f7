using System.Globalization;
using System.Text.Json;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Hybrid;

/// <summary>The options of a <see cref="StoreHybridCache"/>; read once, when the cache is made.</summary>
/// <remarks>
/// Options that the framework's hybrid cache has too have the same names and meanings, so its configuration can be
/// kept. Features that it lacks (fail-safe, eager refresh, factory timeouts) are off by default.
/// </remarks>
public sealed class HybridStoreOptions
{
    /// <summary>The most ready objects: with more, this tier would be a cache of its own.</summary>
    public const int ReadyObjectsLimit = 1 << 20;

    private static readonly TimeSpan _defaultFailSafeThrottle = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Expiration, above zero, and flags of entries whose call gives none. Default: five minutes.
    /// </summary>
    public HybridCacheEntryOptions? DefaultEntryOptions { get; set; }

    /// <summary>
    /// The longest key in characters. A call with a longer one runs its factory, and nothing is cached. Default: 1024.
    /// </summary>
    public int MaximumKeyLength { get; set; } = 1024;

    /// <summary>The longest value in bytes; a longer one is returned and not cached. Default: 1 MB.</summary>
    public long MaximumPayloadBytes { get; set; } = 1 << 20;

    /// <summary>
    /// About how many objects of immutable types are kept ready in front of the store, beside their bytes; at most
    /// four times as many; 0: none.
    /// Default: 4096.
    /// </summary>
    public int MaximumReadyObjects { get; set; } = 4096;

    /// <summary>The longest value in bytes whose object is kept ready. Default: 16 KB.</summary>
    public int MaximumReadyPayloadBytes { get; set; } = 16 << 10;

    /// <summary>How values of other types than <c>byte[]</c> and <c>string</c> are written as JSON.</summary>
    /// <remarks>
    /// Null: the serializer's defaults, by reflection. In a trimmed or natively compiled application set options whose
    /// <see cref="JsonSerializerOptions.TypeInfoResolver"/> is a source-generated context.
    /// </remarks>
    public JsonSerializerOptions? JsonOptions { get; set; }

    /// <summary>Asked for serializers before JSON is taken, the last one first.</summary>
    public IList<IHybridCacheSerializerFactory> SerializerFactories { get; } = [];

    /// <summary>A distributed cache behind the store, perhaps one that other processes share. Default: none.</summary>
    public IDistributedCache? SecondLevel { get; set; }

    /// <summary>
    /// The key under which the container has the second level. Default: none, unless <see cref="UseSecondLevel"/>.
    /// </summary>
    public object? DistributedCacheServiceKey { get; set; }

    /// <summary>
    /// Whether the container's last distributed cache that is not a store of ours is the second level. Default: no.
    /// </summary>
    public bool UseSecondLevel { get; set; }

    /// <summary>What tells of changes of the second level by others; another package sets it.</summary>
    internal Coherence? Coherence { get; set; }

    /// <summary>
    /// How long after its expiration a value may be served when the factory fails. Default, null: it may not.
    /// </summary>
    public TimeSpan? FailSafeMaximumDuration { get; set; }

    /// <summary>
    /// How long a value that was served after a failure counts as fresh, so that a failing source is not asked by each
    /// call; and how long after a failed eager refresh of an entry the next one may begin. Default: 30 s.
    /// </summary>
    public TimeSpan FailSafeThrottleDuration { get; set; } = _defaultFailSafeThrottle;

    /// <summary>
    /// The fraction of an entry's life, above 0 and below 1, after which a call renews it in the background and returns
    /// the present value. Default, null: no eager refresh.
    /// </summary>
    public double? EagerRefreshThreshold { get; set; }

    /// <summary>
    /// How long a call that has a stale value waits for the factory before it returns that value; the factory
    /// continues. Default, null: until it is done.
    /// </summary>
    public TimeSpan? FactorySoftTimeout { get; set; }

    /// <summary>
    /// How long a call without one waits before it throws a <see cref="TimeoutException"/>; the factory continues.
    /// Default, null: until it is done.
    /// </summary>
    public TimeSpan? FactoryHardTimeout { get; set; }

    /// <summary>
    /// Receives the exceptions that no caller sees: a second level that fails, a factory that fails in the background
    /// or behind fail-safe, a value that cannot be read or written. Must not throw.
    /// </summary>
    public Action<Exception>? OnFailure { get; set; }

    /// <summary>Every option that is out of its range, as a sentence that names it, its value and the range.</summary>
    /// <returns>An empty list if the options can be used.</returns>
    public IReadOnlyList<string> FindProblems()
    {
        var problems = new List<string>();
        if (DefaultEntryOptions?.Expiration is { } expiration && expiration <= TimeSpan.Zero)
        {
            problems.Add(Problem(
                $"{nameof(DefaultEntryOptions)}.{nameof(HybridCacheEntryOptions.Expiration)}", expiration,
                $"must be above {TimeSpan.Zero}, or nothing is cached"));
        }

        RequireRange(problems, nameof(MaximumKeyLength), MaximumKeyLength, 1, CacheStore.KeyLengthMax);
        RequireRange(problems, nameof(MaximumPayloadBytes), MaximumPayloadBytes, 1, CacheStore.ValueLengthMax);
        RequireRange(problems, nameof(MaximumReadyObjects), MaximumReadyObjects, 0, ReadyObjectsLimit);
        RequireRange(
            problems, nameof(MaximumReadyPayloadBytes), MaximumReadyPayloadBytes, 0, CacheStore.ValueLengthMax);
        RequirePositive(problems, nameof(FailSafeMaximumDuration), FailSafeMaximumDuration);
        RequirePositive(problems, nameof(FailSafeThrottleDuration), FailSafeThrottleDuration);
        RequirePositive(problems, nameof(FactorySoftTimeout), FactorySoftTimeout);
        RequirePositive(problems, nameof(FactoryHardTimeout), FactoryHardTimeout);
        if (EagerRefreshThreshold is { } threshold && threshold is not (> 0 and < 1))
            problems.Add(Problem(nameof(EagerRefreshThreshold), threshold, "must be above 0 and below 1"));
        if (FactorySoftTimeout is { } soft && FactoryHardTimeout is { } hard && soft > hard)
            problems.Add(Problem(nameof(FactorySoftTimeout), soft, $"must be at most FactoryHardTimeout, {hard}"));
        if (FactorySoftTimeout is { } alone && FailSafeMaximumDuration is null)
        {
            problems.Add(Problem(
                nameof(FactorySoftTimeout), alone, "needs FailSafeMaximumDuration: without it no stale value is kept"));
        }

        if (Coherence is not null && SecondLevel is null)
        {
            problems.Add(
                $"{nameof(HybridStoreOptions)}.{nameof(SecondLevel)} is none; its coherence needs one: set"
                + $" {nameof(UseSecondLevel)}, {nameof(DistributedCacheServiceKey)} or {nameof(SecondLevel)}.");
        }

        return problems;
    }

    internal void ThrowIfInvalid()
    {
        var problems = FindProblems();
        if (problems.Count > 0)
            throw new ArgumentException(string.Join(" ", problems));
    }

    private static void RequireRange(List<string> problems, string option, long value, long min, long max)
    {
        if (value < min || value > max)
        {
            problems.Add(Problem(
                option, value, string.Create(CultureInfo.InvariantCulture, $"must be between {min} and {max}")));
        }
    }

    // Timers refuse a wait of more milliseconds than fit in an integer.
    private static void RequirePositive(List<string> problems, string option, TimeSpan? value)
    {
        if (value is { } interval && (interval <= TimeSpan.Zero || interval.TotalMilliseconds > int.MaxValue))
        {
            var longest = TimeSpan.FromMilliseconds(int.MaxValue);
            problems.Add(Problem(option, interval, $"must be above {TimeSpan.Zero} and at most {longest}"));
        }
    }

    private static string Problem<TValue>(string option, TValue value, string rule) =>
        string.Create(CultureInfo.InvariantCulture, $"{nameof(HybridStoreOptions)}.{option} is {value}; it {rule}.");
}
