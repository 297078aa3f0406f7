using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Hybrid;

/// <summary>The distributed cache behind the store, if there is one.</summary>
/// <remarks>
/// Its values always have a trailer. Invalidations are noted there too, one entry (a mark) per tag, and read with each
/// value that comes from there, so that a value stays void if another process, or this one before its last start, made
/// it so. If the second level fails, the failure is counted and reported, and the call continues without it.
/// </remarks>
public sealed partial class StoreHybridCache
{
    private const string MarkKeyPrefix = "__cache:tag:";

    // Longer than values are commonly kept: if a mark expired before a value that it voids, the value would be valid
    // again.
    private static readonly TimeSpan _markLifetimeMin = TimeSpan.FromDays(30);

    private long _longestExpirationMs = (long)_markLifetimeMin.TotalMilliseconds;

    private async ValueTask<T> FetchFarAsync<TState, T>(Request<TState, T> request)
    {
        byte[]? far = request.Plan.ReadsSecondLevel
            ? await ReadSecondLevelAsync(request.Key, request.Token).ConfigureAwait(false)
            : null;
        if (far is null)
            return default!;
        var local = Interpret(StoredValue.Read(far), own: null, deadlineMs: 0, _serializers.Get<T>());
        return local.State == LocalState.Fresh ? local.Value! : default!;
    }

    private async ValueTask<byte[]?> ReadSecondLevelAsync(string key, CancellationToken token)
    {
        if (_secondLevel is null)
            return null;
        byte[]? bytes = null;
        if (_secondLevelWriters.IsAnySuperseded(key))
        {
            _counters.CountExactly(HybridCounter.SecondLevelMiss);
            return null;
        }

        try
        {
            bytes = await _secondLevel.GetAsync(key, token).ConfigureAwait(false);
            if (bytes is not null)
                bytes = await LearnMarksAsync(_secondLevel, bytes, token).ConfigureAwait(false);
        }
        catch (Exception exception) when (!token.IsCancellationRequested)
        {
            _counters.CountExactly(HybridCounter.SecondLevelFailure);
            Report(exception);
            return null;
        }

        _counters.CountExactly(bytes is null ? HybridCounter.SecondLevelMiss : HybridCounter.SecondLevelHit);
        return bytes;
    }

    /// <summary>Reads the marks of a value's tags.</summary>
    /// <returns>The value, or null if it is void or was not written by a hybrid cache.</returns>
    private async ValueTask<byte[]?> LearnMarksAsync(IDistributedCache level, byte[] bytes, CancellationToken token)
    {
        if (!StoredValue.Read(bytes).IsStamped)
            return null;
        ulong[] tags = StoredValue.Read(bytes).CopyTags();
        var marks = new Task<byte[]?>[tags.Length + 1];
        for (int i = 0; i < tags.Length; i++)
            marks[i] = level.GetAsync(MarkKeyOf(tags[i]), token);
        marks[^1] = level.GetAsync(MarkKeyOf(tag: null), token);
        await Task.WhenAll(marks).ConfigureAwait(false);
        for (int i = 0; i < marks.Length; i++)
        {
            byte[]? mark = await marks[i].ConfigureAwait(false);
            if (mark?.Length == sizeof(long))
                _invalidations.Learn(i < tags.Length ? tags[i] : null, BinaryPrimitives.ReadInt64LittleEndian(mark));
        }

        long stamp = StoredValue.Read(bytes).Stamp;
        _invalidations.Witness(stamp);
        return _invalidations.IsValid(stamp, tags) ? bytes : null;
    }

    /// <summary>Copies a value from the second level into the store.</summary>
    /// <param name="flight">The flight that asked.</param>
    /// <param name="plan">The call's options.</param>
    /// <param name="before">What was in the store.</param>
    /// <param name="far">The value.</param>
    /// <param name="fallback">Set to the value if that is stale and there was no fallback.</param>
    /// <param name="result">The value, if it is fresh.</param>
    private bool TryTakeFar<T>(
        TypedFlight<T> flight, in EntryPlan plan, in Snapshot before, byte[] far, ref Snapshot fallback,
        out FlightResult<T> result)
    {
        var stored = StoredValue.Read(far);
        var value = Interpret(stored, own: null, deadlineMs: 0, _serializers.Get<T>());
        result = default;
        if (value.State == LocalState.Stale && fallback.Bytes is null)
        {
            long deadlineMs = stored.FreshUntilMs + _failSafeMs;
            if (deadlineMs > _store.NowMs)
                fallback = new Snapshot(new() { ExpiresAtMs = deadlineMs }, far);
        }

        if (value.State != LocalState.Fresh)
            return false;
        long freshMs = Math.Min(plan.LocalMs, stored.FreshUntilMs - _store.NowMs);
        if (plan.WritesLocal && freshMs > 0)
        {
            using var writer = new PooledWriter();
            writer.Write(stored.Payload);
            ulong[] tags = TagsHere(flight.CoherenceTag, stored.CopyTags());
            if (TryFinish(writer, stored.Flags, stored.Stamp, flight.Epoch, tags, freshMs, out long deadlineMs))
            {
                WriteOnce(flight, writer.Written, deadlineMs, before);
            }
        }

        result = Share(flight, value.Value, isStale: false, stored.Payload, stored.Flags);
        return true;
    }

    /// <summary>A value in the form for the second level; null if it gets none.</summary>
    private byte[]? ToSecondLevel(
        ReadOnlySpan<byte> payload, ValueFlags flags, in EntryPlan plan, long stamp, ulong[] tags)
    {
        if (_secondLevel is null || !plan.WritesSecondLevel)
            return null;
        var bytes = new byte[payload.Length + StoredValue.TrailerLength(tags.Length)];
        payload.CopyTo(bytes);
        long freshUntilMs = _store.NowMs + plan.ExpirationMs;
        StoredValue.WriteTrailer(
            bytes.AsSpan(payload.Length), payload.Length, stamp, freshUntilMs, flags, tags);
        return bytes;
    }

    private async Task PutSecondLevelAsync(string key, byte[] bytes, long expirationMs, CancellationToken token)
    {
        long keptMs = expirationMs + _failSafeMs;
        if (keptMs > Volatile.Read(ref _longestExpirationMs))
            Volatile.Write(ref _longestExpirationMs, keptMs); // Of two racing writers either may win: both are long.
        var options = new DistributedCacheEntryOptions
        {
            AbsoluteExpirationRelativeToNow = TimeSpan.FromMilliseconds(keptMs),
        };
        await _secondLevel!.SetAsync(key, bytes, options, token).ConfigureAwait(false);
    }

    /// <summary>Waits for a change of a key there, and removes what a call copied from there before it.</summary>
    private async Task ForgetAfterAsync(Task change, string key)
    {
        try
        {
            await change.ConfigureAwait(false);
        }
        finally
        {
            TryRemove(key);
            _coherence?.Tell(key);
        }
    }

    /// <summary>
    /// Lets a removal find the flight until its value is written, even after another flight has replaced it.
    /// </summary>
    private void BeginSecondLevelWrite(Flight flight, byte[]? bytes, in EntryPlan plan)
    {
        if (bytes is null)
            return;
        _secondLevelWriters.Add(flight);
        flight.SecondLevelMs = plan.ExpirationMs;
        flight.SecondLevelBytes = bytes;
    }

    /// <summary>Writes the value of a flight to the second level, after its callers have it.</summary>
    private async ValueTask WriteSecondLevelAsync(Flight flight)
    {
        // Of an older value than another's write nothing is written there.
        if (flight.SecondLevelBytes is null || flight.IsOutdatedNow)
            return;
        try
        {
            await PutSecondLevelAsync(flight.Key, flight.SecondLevelBytes, flight.SecondLevelMs, CancellationToken.None)
                .ConfigureAwait(false);
            // Of two racing writes either may come last: so the later flight's value, if there is one yet, is written
            // again.
            var later = _secondLevelWriters.LaterThan(flight);
            if (later?.SecondLevelBytes is { } bytes && !flight.IsSupersededNow)
            {
                await PutSecondLevelAsync(flight.Key, bytes, later.SecondLevelMs, CancellationToken.None)
                    .ConfigureAwait(false);
            }

            // The key was written or removed meanwhile: whichever write came last there, this value must not stay.
            if (flight.IsSupersededNow)
                await _secondLevel!.RemoveAsync(flight.Key, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception exception) // No caller waits for it.
        {
            _counters.CountExactly(HybridCounter.SecondLevelFailure);
            Report(exception);
        }
        finally
        {
            _coherence?.Tell(flight.Key);
        }
    }

    private async Task WriteMarkAsync(IDistributedCache level, ulong? tag, long moment, CancellationToken token)
    {
        var bytes = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, moment);
        var options = new DistributedCacheEntryOptions
        {
            AbsoluteExpirationRelativeToNow = TimeSpan.FromMilliseconds(Volatile.Read(ref _longestExpirationMs)),
        };
        string key = MarkKeyOf(tag);
        try
        {
            await level.SetAsync(key, bytes, options, token).ConfigureAwait(false);
        }
        finally
        {
            _coherence?.Tell(key);
        }
    }

    private static string MarkKeyOf(ulong? tag) => tag is { } hash
        ? string.Create(CultureInfo.InvariantCulture, $"{MarkKeyPrefix}{hash:x16}")
        : MarkKeyPrefix + TagHashes.Everything;
}
