using System.Diagnostics;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Hybrid;

/// <summary>The framework's hybrid cache on a store: values by key, made by a factory on a miss.</summary>
/// <remarks>
/// Thread-safe. Entries are in the store, <c>byte[]</c> and <c>string</c> as they are, other types as JSON or as the
/// registered serializer writes them, so other doors see them, and their writes and removals count at once. At most one
/// factory runs per key and process at a time; a caller that waits for it may leave without disturbing the others, and
/// when all have left, the factory is canceled.
///
/// Keys that are too long, blank or without a UTF-8 form are not cached: the factory runs for each call. Exceptions of
/// a factory reach all its callers. Each caller gets its own object of a mutable type.
/// <example><code>
/// using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 512 &lt;&lt; 20 });
/// var cache = new StoreHybridCache(store, new HybridStoreOptions());
/// var order = await cache.GetOrCreateAsync("order:17", token => LoadOrderAsync(17, token), tags: ["orders"]);
/// await cache.RemoveByTagAsync("orders");
/// </code></example>
/// </remarks>
public sealed partial class StoreHybridCache : HybridCache
{
    /// <summary>Activities around factory calls: the only ones, since a hit is shorter than an activity.</summary>
    private static readonly ActivitySource _activitySource = new("Cache.Core");

    private readonly CacheStore _store;
    private readonly Invalidations _invalidations;
    private readonly SerializerTable _serializers;
    private readonly HybridCounters _counters = new();
    private readonly ReadyTable? _ready;
    private readonly IDistributedCache? _secondLevel;

    // Options, as they were when the cache was made.
    private readonly HybridCacheEntryOptions? _defaults;
    private readonly int _keyLengthMax;
    private readonly long _payloadBytesMax;
    private readonly int _readyPayloadBytesMax;
    private readonly long _localMsMax;
    private readonly long _failSafeMs;
    private readonly long _failSafeThrottleMs;
    private readonly bool _refreshesEagerly;
    private readonly bool _readsUnstamped;
    private readonly double _freshPart;
    private readonly TimeSpan _softTimeout;
    private readonly TimeSpan _hardTimeout;
    private readonly Action<Exception>? _onFailure;

    /// <summary>Makes a cache with serializers from the options alone.</summary>
    /// <exception cref="ArgumentException">An option is out of its range; the message names each.</exception>
    public StoreHybridCache(CacheStore store, HybridStoreOptions options)
        : this(store, options, services: null)
    {
    }

    /// <summary>Makes a cache that also uses each <see cref="IHybridCacheSerializer{T}"/> of a container.</summary>
    /// <param name="store">Holds the entries; the cache does not dispose it.</param>
    /// <param name="options">Read once.</param>
    /// <param name="services">The container; null: none.</param>
    /// <exception cref="ArgumentException">An option is out of its range; the message names each.</exception>
    public StoreHybridCache(CacheStore store, HybridStoreOptions options, IServiceProvider? services)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(options);
        options.ThrowIfInvalid();
        _store = store;
        _invalidations = Invalidations.Of(store);
        _serializers = new SerializerTable(options, services);
        _ready = options.MaximumReadyObjects == 0 ? null : new ReadyTable(options.MaximumReadyObjects);
        _secondLevel = options.SecondLevel;
        _defaults = options.DefaultEntryOptions;
        _keyLengthMax = options.MaximumKeyLength;
        _payloadBytesMax = options.MaximumPayloadBytes;
        _readyPayloadBytesMax = options.MaximumReadyPayloadBytes;
        _failSafeMs = (long)(options.FailSafeMaximumDuration?.TotalMilliseconds ?? 0);
        _failSafeThrottleMs = Math.Max(1, (long)options.FailSafeThrottleDuration.TotalMilliseconds);
        _refreshesEagerly = options.EagerRefreshThreshold is not null;
        _refreshPauses = _refreshesEagerly ? new RefreshPauses() : null;
        _freshPart = options.EagerRefreshThreshold ?? 1;
        _softTimeout = options.FactorySoftTimeout ?? Timeout.InfiniteTimeSpan;
        _hardTimeout = options.FactoryHardTimeout ?? Timeout.InfiniteTimeSpan;
        _onFailure = options.OnFailure;
        _coherence = options.Coherence;
        _localMsMax = _coherence?.MaximumAgeMs ?? long.MaxValue;
        _readsUnstamped = !_refreshesEagerly && _coherence is null;
        if (_coherence is null)
            return;
        _coherenceTag = NewCoherenceTag();
        _coherence.Attach(this);
    }

    /// <summary>The store that the entries lie in.</summary>
    public CacheStore Store => _store;

    internal IDistributedCache? SecondLevel => _secondLevel;

    /// <summary>Factories and writes to the second level that are under way.</summary>
    internal int FlightCount => _flights.Count;

    /// <summary>Whether nothing is under way, superseded flights included.</summary>
    internal bool IsIdle => _flights.IsEmpty && _secondLevelWriters.IsEmpty && !_store.IsWatched;

    /// <summary>A snapshot of the counters.</summary>
    public HybridStatistics GetStatistics() => new()
    {
        ReadyHits = _counters[HybridCounter.ReadyHit],
        StoreHits = _counters[HybridCounter.StoreHit],
        Misses = _counters[HybridCounter.Miss],
        StaleHits = _counters[HybridCounter.StaleHit],
        Joins = _counters[HybridCounter.Join],
        FactoryCalls = _counters[HybridCounter.FactoryCall],
        FactoryFailures = _counters[HybridCounter.FactoryFailure],
        FactoryTimeouts = _counters[HybridCounter.FactoryTimeout],
        EagerRefreshes = _counters[HybridCounter.EagerRefresh],
        SecondLevelHits = _counters[HybridCounter.SecondLevelHit],
        SecondLevelMisses = _counters[HybridCounter.SecondLevelMiss],
        SecondLevelFailures = _counters[HybridCounter.SecondLevelFailure],
        RejectedKeys = _counters[HybridCounter.RejectedKey],
        RejectedPayloads = _counters[HybridCounter.RejectedPayload],
        UnusableValues = _counters[HybridCounter.UnusableValue],
        Invalidations = _counters[HybridCounter.Invalidation],
    };

    /// <inheritdoc/>
    public override ValueTask<T> GetOrCreateAsync<TState, T>(
        string key,
        TState state,
        Func<TState, CancellationToken, ValueTask<T>> factory,
        HybridCacheEntryOptions? options = null,
        IEnumerable<string>? tags = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        return GetOrCreate(key, key, state, factory, options, tags, cancellationToken);
    }

    /// <inheritdoc/>
    /// <remarks>A hit makes no string of the key.</remarks>
    public override ValueTask<T> GetOrCreateAsync<TState, T>(
        ReadOnlySpan<char> key,
        TState state,
        Func<TState, CancellationToken, ValueTask<T>> factory,
        HybridCacheEntryOptions? options = null,
        IEnumerable<string>? tags = null,
        CancellationToken cancellationToken = default) =>
        GetOrCreate(key, text: null, state, factory, options, tags, cancellationToken);

    /// <inheritdoc/>
    public override ValueTask SetAsync<T>(
        string key,
        T value,
        HybridCacheEntryOptions? options = null,
        IEnumerable<string>? tags = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromCanceled(cancellationToken);
        var plan = new EntryPlan(options, _defaults, _localMsMax);
        return Set(key, value, plan, TagHashes.Of(tags), cancellationToken);
    }

    /// <inheritdoc/>
    public override ValueTask RemoveAsync(string key, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromCanceled(cancellationToken);
        _store.ThrowIfDisposed();
        if (!TryRemove(key) || _secondLevel is null)
            return ValueTask.CompletedTask;
        return new ValueTask(ForgetAfterAsync(_secondLevel.RemoveAsync(key, cancellationToken), key));
    }

    /// <inheritdoc/>
    /// <remarks>
    /// All values of the tag that were asked for before are invalidated at once, even if their factory still runs; "*"
    /// stands for all values of the hybrid cache. Takes no longer for many values than for one.
    /// </remarks>
    public override ValueTask RemoveByTagAsync(string tag, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(tag);
        _store.ThrowIfDisposed();
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromCanceled(cancellationToken);
        _counters.CountExactly(HybridCounter.Invalidation);
        ulong? hash = tag == TagHashes.Everything ? null : TagHashes.Of(tag);
        long moment = hash is { } one ? _invalidations.Invalidate(one) : _invalidations.InvalidateAll();
        return _secondLevel is null
            ? ValueTask.CompletedTask
            : new ValueTask(WriteMarkAsync(_secondLevel, hash, moment, cancellationToken));
    }

    /// <param name="key">The key.</param>
    /// <param name="text">The key as a string, if the caller has one; else a miss makes it.</param>
    /// <param name="state">The factory's.</param>
    /// <param name="factory">Makes the value.</param>
    /// <param name="options">The call's.</param>
    /// <param name="tags">The value's.</param>
    /// <param name="token">The caller's.</param>
    private ValueTask<T> GetOrCreate<TState, T>(
        ReadOnlySpan<char> key,
        string? text,
        TState state,
        Func<TState, CancellationToken, ValueTask<T>> factory,
        HybridCacheEntryOptions? options,
        IEnumerable<string>? tags,
        CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(factory);
        if (token.IsCancellationRequested)
            return ValueTask.FromCanceled<T>(token);
        LocalValue<T> local;
        if (ReadsUnstamped<T>(options))
        {
            T? value = ReadUnstamped<T>(key, out var found, out long freshUntilMs);
            if (found == LocalState.Fresh)
                return new ValueTask<T>(value!);
            local = new LocalValue<T>(found, value!, freshUntilMs);
        }
        else
        {
            local = Look<T>(key, options);
            if (local.State == LocalState.Fresh && !_refreshesEagerly)
                return new ValueTask<T>(local.Value!);
        }

        var plan = new EntryPlan(options, _defaults, _localMsMax);
        return Answer(new Request<TState, T>(text ?? key.ToString(), state, factory, tags, plan, token), local);
    }

    private bool IsCacheable(ReadOnlySpan<char> key) => key.Length <= _keyLengthMax && !key.IsWhiteSpace();

    private void Report(Exception exception) => _onFailure?.Invoke(exception);
}
