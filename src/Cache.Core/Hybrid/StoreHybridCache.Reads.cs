using System.Runtime.CompilerServices;
using Cache.Core.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Hybrid;

/// <summary>Reads from this process: ready objects and the store.</summary>
public sealed partial class StoreHybridCache
{
    /// <summary>Looks for a value in this process, and counts it if it is fresh.</summary>
    private LocalValue<T> Look<T>(ReadOnlySpan<char> key, HybridCacheEntryOptions? options)
    {
        if ((EntryPlan.FlagsOf(options, _defaults) & HybridCacheEntryFlags.DisableLocalCacheRead) != 0)
            return default;
        if (!CountsHere(key)) // Before the read: what is read then is no older than what is proved now.
            return default;
        if (ImmutableType<T>.IsImmutable && TryGetReady(key, out T? ready))
            return new LocalValue<T>(LocalState.Fresh, ready!, freshUntilMs: 0);
        var local = ReadLocal<T>(key, options);
        if (local.State == LocalState.Fresh)
            _counters.Count(HybridCounter.StoreHit);
        return local;
    }

    /// <summary>Whether a value of a type is read without the stamp of its entry, which costs time.</summary>
    /// <remarks>Only ready objects, renewals and earlier invalidations need one.</remarks>
    private bool ReadsUnstamped<T>(HybridCacheEntryOptions? options) =>
        !ImmutableType<T>.IsImmutable
        && _readsUnstamped
        && !_invalidations.NeedDeadlines
        && (EntryPlan.FlagsOf(options, _defaults) & HybridCacheEntryFlags.DisableLocalCacheRead) == 0;

    /// <summary>Reads a value from the store without the stamp of its entry, and counts it if it is fresh.</summary>
    /// <remarks>
    /// The short way: a value without a trailer is fresh if it is there, and is returned in a register, so that no
    /// reference is stored on the way. Nothing is disposed of where something throws: what was pooled is garbage then.
    /// </remarks>
    [SkipLocalsInit] // Key and sink write their scratch before reading it; clearing it costs more than hashing.
    private T? ReadUnstamped<T>(ReadOnlySpan<char> key, out LocalState state, out long freshUntilMs)
    {
        freshUntilMs = 0;
        state = LocalState.UnusableKey;
        if (!IsCacheable(key))
            return default;
        var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes], out bool isUsable);
        if (!isUsable)
        {
            utf8Key.Dispose();
            return default;
        }

        var serializer = _serializers.Get<T>();
        var sink = new ValueSink(stackalloc byte[ValueSink.StackBytes], serializer.WantsArray);
        state = LocalState.Absent;
        T? value = default;
        if (_store.TryGet(utf8Key.Bytes, ref sink))
        {
            value = StoredValue.LooksStamped(sink.Bytes)
                ? ReadTrailed(sink, serializer, ref state, ref freshUntilMs)
                : ReadPlain(sink, serializer, ref state);
            if (state == LocalState.Fresh)
                _counters.Count(HybridCounter.StoreHit);
        }

        sink.Dispose();
        utf8Key.Dispose();
        return value;
    }

    private T? ReadPlain<T>(in ValueSink sink, ValueSerializer<T> serializer, ref LocalState state)
    {
        try
        {
            T value = serializer.Deserialize(sink.Bytes, ValueFlags.None, sink.Array);
            state = LocalState.Fresh;
            return value;
        }
        catch (Exception exception) // As in Interpret.
        {
            ReportUnusable(exception);
            return default;
        }
    }

    private T? ReadTrailed<T>(
        in ValueSink sink, ValueSerializer<T> serializer, ref LocalState state, ref long freshUntilMs)
    {
        var local = Interpret(StoredValue.Read(sink.Bytes), sink.Array, deadlineMs: 0, serializer);
        state = local.State;
        freshUntilMs = local.FreshUntilMs;
        return local.Value;
    }

    /// <summary>Finds a ready object that the store confirms.</summary>
    private bool TryGetReady<T>(ReadOnlySpan<char> key, out T? value)
    {
        value = default;
        if (_ready is null)
            return false;
        var entry = _ready.Find(key, ReadyTable.HashOf(key));
        if (entry is null || entry.Type != typeof(T))
            return false;
        if (entry.UntilMs != 0 && entry.UntilMs <= _store.CoarseNowMs)
            return false;
        if (entry.ValidAtGeneration != _invalidations.Generation || !_store.TryTouch(entry.Stamp))
        {
            _ready.Remove(entry);
            return false;
        }

        if (!entry.IsUsed)
            entry.IsUsed = true;
        _counters.Count(HybridCounter.ReadyHit);
        value = (T)entry.Value;
        return true;
    }

    /// <summary>Reads a value from the store, and makes it a ready object if its type allows.</summary>
    [SkipLocalsInit] // Key and sink write their scratch before reading it; clearing it costs more than hashing.
    private LocalValue<T> ReadLocal<T>(ReadOnlySpan<char> key, HybridCacheEntryOptions? options)
    {
        if (!IsCacheable(key))
            return new LocalValue<T>(LocalState.UnusableKey);
        var serializer = _serializers.Get<T>();
        long generation = _invalidations.Generation; // Read before the question whether the value is valid.
        var sink = new ValueSink(stackalloc byte[ValueSink.StackBytes], serializer.WantsArray);
        var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes], out bool isUsable);
        try
        {
            if (!isUsable)
                return new LocalValue<T>(LocalState.UnusableKey);
            if (!_store.TryGetStamped(utf8Key.Bytes, ref sink, out var stamp))
                return default;
            var stored = StoredValue.Read(sink.Bytes);
            var local = InterpretLocal(stored, sink.Array, stamp.ExpiresAtMs, serializer);
            if (local.State == LocalState.Fresh && ImmutableType<T>.IsImmutable)
            {
                var plan = new EntryPlan(options, _defaults, _localMsMax);
                KeepReady(key, local, stored.Payload.Length, stamp, generation, plan);
            }

            return local;
        }
        finally
        {
            sink.Dispose();
            utf8Key.Dispose();
        }
    }

    private LocalValue<T> InterpretLocal<T>(
        in StoredValue stored, byte[]? own, long deadlineMs, ValueSerializer<T> serializer) =>
        IsOfThisGeneration(stored) ? Interpret(stored, own, deadlineMs, serializer) : default;

    /// <summary>Decides whether a read value is fresh, stale or void.</summary>
    private LocalValue<T> Interpret<T>(
        in StoredValue stored, byte[]? own, long deadlineMs, ValueSerializer<T> serializer)
    {
        if (!_invalidations.IsValid(stored, deadlineMs))
            return default;
        long freshUntilMs = stored.FreshUntilMs == 0 ? deadlineMs : stored.FreshUntilMs;
        bool isStale = stored.FreshUntilMs != 0 && stored.FreshUntilMs <= _store.CoarseNowMs;
        if (isStale && _failSafeMs == 0)
            return default;
        var state = isStale ? LocalState.Stale : LocalState.Fresh;
        if ((stored.Flags & ValueFlags.Null) != 0)
            return new LocalValue<T>(state, default!, freshUntilMs);
        try
        {
            return new LocalValue<T>(
                state, serializer.Deserialize(stored.Payload, stored.Flags, own), freshUntilMs);
        }
        catch (Exception exception) // A serializer may throw anything: of another type, or another door's value.
        {
            ReportUnusable(exception);
            return default;
        }
    }

    private void ReportUnusable(Exception exception)
    {
        _counters.CountExactly(HybridCounter.UnusableValue);
        Report(exception);
    }

    private void KeepReady<T>(
        ReadOnlySpan<char> key, in LocalValue<T> local, int payloadLength, in EntryStamp stamp, long generation,
        in EntryPlan plan)
    {
        // A value that is due for renewal is read by each call, so that one of them starts the renewal.
        if (_ready is null || stamp.MustBeRead || local.Value is null || payloadLength > _readyPayloadBytesMax
            || IsDue(local.FreshUntilMs, plan))
        {
            return;
        }

        _ready.Add(new ReadyEntry(key.ToString(), ReadyTable.HashOf(key), typeof(T), local.Value, stamp)
        {
            UntilMs = DueAtMs(local.FreshUntilMs, plan),
            ValidAtGeneration = generation,
        });
    }

    /// <summary>Reads the stored value without counting it as a use.</summary>
    private Snapshot TakeSnapshot(ReadOnlySpan<byte> key)
    {
        var sink = default(ArraySink);
        _store.TryPeekStamped(key, ref sink, out var stamp);
        return new Snapshot(stamp, sink.Array);
    }

    private Snapshot TakeSnapshot(string key)
    {
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        return TakeSnapshot(utf8Key.Bytes);
    }

    /// <summary>Answers a call that is not a ready object's hit.</summary>
    private ValueTask<T> Answer<TState, T>(in Request<TState, T> request, in LocalValue<T> local)
    {
        if (local.State != LocalState.Fresh)
            return Fetch(request, local);
        if (IsDue(local.FreshUntilMs, request.Plan) && request.Plan.RunsFactory)
            Refresh(request);
        return new ValueTask<T>(local.Value!);
    }

    /// <summary>Whether enough of an entry's life has passed to renew it.</summary>
    private bool IsDue(long freshUntilMs, in EntryPlan plan) =>
        _refreshesEagerly && freshUntilMs != 0 && DueAtMs(freshUntilMs, plan) <= _store.CoarseNowMs;

    private long DueAtMs(long freshUntilMs, in EntryPlan plan) =>
        freshUntilMs == 0 ? 0 : freshUntilMs - (long)Math.Round((1 - _freshPart) * plan.LocalMs);
}
