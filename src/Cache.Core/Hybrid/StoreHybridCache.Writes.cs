using System.Buffers;
using System.Globalization;
using Cache.Core.Distributed;

namespace Cache.Core.Hybrid;

/// <summary>Writes into the store.</summary>
public sealed partial class StoreHybridCache
{
    // An attempt fails if another key of the bucket was written meanwhile; the one after the last cannot fail that way.
    private const int WriteAttemptsMax = 8;

    private bool IsUsable(string key)
    {
        if (!IsCacheable(key))
            return false;
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes], out bool isUsable);
        return isUsable;
    }

    private ValueTask Set<T>(string key, T value, in EntryPlan plan, ulong[] tags, CancellationToken token)
    {
        _store.ThrowIfDisposed();
        if (!IsUsable(key))
        {
            _counters.CountExactly(HybridCounter.RejectedKey);
            return ValueTask.CompletedTask;
        }

        ulong[] tagsHere = TagsHere(Volatile.Read(ref _coherenceTag), tags);
        long epoch = _invalidations.Epoch;
        long stamp = _invalidations.Now();
        using var writer = new PooledWriter();
        var flags = value is null ? ValueFlags.Null : _serializers.Get<T>().Serialize(value, writer);
        bool isKept = writer.Written.Length <= _payloadBytesMax;
        if (!isKept)
            Reject(writer.Written.Length);
        byte[]? far = isKept ? ToSecondLevel(writer.Written, flags, plan, stamp, tags) : null;
        Supersede(key);
        // Who tells of changes tells of this one too, later, and what another wrote before it would not be seen.
        bool isWritten = isKept && plan.WritesLocal && (_coherence is null || far is null)
            && TryFinish(writer, flags, stamp, epoch, tagsHere, plan.LocalMs, out long deadlineMs)
            && TryWrite(key, writer.Written, deadlineMs);
        if (!isWritten)
            Forget(key); // The stored value is older than this one, even if this one is not stored.
        if (_secondLevel is null || (far is null && isKept && plan.ExpirationMs > 0))
            return ValueTask.CompletedTask;
        var change = far is null
            ? _secondLevel.RemoveAsync(key, token)
            : PutSecondLevelAsync(key, far, plan.ExpirationMs, token);
        return new ValueTask(isWritten ? change : ForgetAfterAsync(change, key));
    }

    private bool TryRemove(string key)
    {
        if (!IsUsable(key))
            return false;
        Supersede(key);
        Forget(key);
        return true;
    }

    /// <summary>Keeps flights that began before this write or removal from storing their values.</summary>
    private void Supersede(string key)
    {
        if (_flights.TryRemove(key, out var flight))
            flight.Supersede();
        if (_secondLevel is not null)
            _secondLevelWriters.Supersede(key); // After the flights: a flight that has left those is here.
    }

    private void Forget(string key)
    {
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        _store.Remove(utf8Key.Bytes);
    }

    private bool TryWrite(string key, ReadOnlySpan<byte> value, long deadlineMs)
    {
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        return IsDone(_store.Set(utf8Key.Bytes, value, new EntryOptions { ExpiresAtMs = deadlineMs }), value.Length);
    }

    private bool IsDone(WriteStatus status, int length)
    {
        if (status is WriteStatus.OutOfMemory or WriteStatus.ValueTooLong)
            Reject(length);
        return status == WriteStatus.Done;
    }

    private void Reject(int length)
    {
        _counters.CountExactly(HybridCounter.RejectedPayload);
        if (_onFailure is not null)
        {
            Report(new InvalidOperationException(string.Create(
                CultureInfo.InvariantCulture,
                $"A value of {length} bytes was not cached: it is longer than MaximumPayloadBytes, {_payloadBytesMax},"
                + $" or than the store takes, {_store.ValueLengthLimit}, or the store has no room.")));
        }
    }

    /// <summary>Writes the value of a flight's factory, and shares it with its callers.</summary>
    private FlightResult<T> Keep<T>(TypedFlight<T> flight, in EntryPlan plan, in Snapshot before, T value)
    {
        using var writer = new PooledWriter();
        if (!TrySerialize(value, writer, out var flags))
            return new FlightResult<T>(value, IsStale: false, Payload: null, flags);
        int payloadLength = writer.Written.Length;
        if (payloadLength > _payloadBytesMax)
        {
            Reject(payloadLength);
            return Share(flight, value, isStale: false, writer.Written, flags);
        }

        ulong[] tagsHere = TagsHere(flight.CoherenceTag, flight.Tags);
        BeginSecondLevelWrite(flight, ToSecondLevel(writer.Written, flags, plan, flight.Stamp, flight.Tags), plan);
        if (plan.WritesLocal
            && TryFinish(writer, flags, flight.Stamp, flight.Epoch, tagsHere, plan.LocalMs, out long deadlineMs))
        {
            WriteOnce(flight, writer.Written, deadlineMs, before);
        }

        return Share(flight, value, isStale: false, writer.Written[..payloadLength], flags);
    }

    /// <summary>Gives callers the expired value, and lets it count as fresh for a while.</summary>
    private FlightResult<T> FallBack<T>(TypedFlight<T> flight, in Snapshot before, in Snapshot fallback)
    {
        var stored = StoredValue.Read(fallback.Bytes);
        long deadlineMs = DeadlineOf(fallback.Stamp.ExpiresAtMs);
        long freshUntilMs = _store.NowMs + _failSafeThrottleMs;
        if (deadlineMs != 0) // Another door may have removed it.
            freshUntilMs = Math.Min(freshUntilMs, deadlineMs);
        ulong[] tags = TagsHere(flight.CoherenceTag, stored.CopyTags());
        using var writer = new PooledWriter();
        writer.Write(stored.Payload);
        if (_invalidations.TryAnnounceStamped(deadlineMs, stored.Stamp, tags))
        {
            AppendTrailer(writer, stored.Stamp, freshUntilMs, stored.Flags, tags);
            WriteOnce(flight, writer.Written, deadlineMs, before);
        }

        var value = (stored.Flags & ValueFlags.Null) != 0
            ? default
            : _serializers.Get<T>().Deserialize(stored.Payload, stored.Flags, own: null);
        return Share(flight, value, isStale: true, fallback);
    }

    private bool TrySerialize<T>(T value, PooledWriter writer, out ValueFlags flags)
    {
        flags = ValueFlags.Null;
        if (value is null)
            return true;
        try
        {
            flags = _serializers.Get<T>().Serialize(value, writer);
            return true;
        }
        catch (Exception exception) // The factory returned a value: its callers get it, cached or not.
        {
            _counters.CountExactly(HybridCounter.UnusableValue);
            Report(exception);
            return false;
        }
    }

    /// <summary>Appends a trailer to the payload in the writer, if it needs one.</summary>
    /// <returns>False if the value is void already.</returns>
    private bool TryFinish(
        PooledWriter writer, ValueFlags flags, long stamp, long epoch, ulong[] tags, long freshMs, out long deadlineMs)
    {
        long freshUntilMs = _store.NowMs + freshMs;
        deadlineMs = DeadlineOf(freshUntilMs + _failSafeMs);
        bool needsTrailer = flags != ValueFlags.None || tags.Length > 0 || _failSafeMs > 0
            || StoredValue.LooksStamped(writer.Written);
        if (!needsTrailer && _invalidations.TryAnnouncePlain(deadlineMs, epoch))
            return true;
        if (!_invalidations.TryAnnounceStamped(deadlineMs, stamp, tags))
            return false;
        AppendTrailer(writer, stamp, _failSafeMs == 0 ? 0 : freshUntilMs, flags, tags);
        return true;
    }

    /// <summary>When a value goes from this process; 0: never. Where something tells of changes, soon enough.</summary>
    private long DeadlineOf(long deadlineMs) => _coherence is null
        ? deadlineMs
        : Math.Min(deadlineMs == 0 ? long.MaxValue : deadlineMs, _store.NowMs + _localMsMax);

    private static void AppendTrailer(
        PooledWriter writer, long stamp, long freshUntilMs, ValueFlags flags, ulong[] tags)
    {
        int length = StoredValue.TrailerLength(tags.Length);
        int payloadLength = writer.Written.Length;
        StoredValue.WriteTrailer(writer.GetSpan(length)[..length], payloadLength, stamp, freshUntilMs, flags, tags);
        writer.Advance(length);
    }

    /// <summary>Writes the value of a flight, unless the key was written or removed since the flight began.</summary>
    private void WriteOnce(Flight flight, ReadOnlySpan<byte> value, long deadlineMs, Snapshot before)
    {
        var options = new EntryOptions { ExpiresAtMs = deadlineMs };
        using var utf8Key = new Utf8Key(flight.Key, stackalloc byte[Utf8Key.StackBytes]);
        try
        {
            lock (flight.Gate) // A removal by this cache waits, and removes what was written.
                flight.IsRenewed = TryWriteOver(flight, utf8Key.Bytes, value, options, before);

            // The keyspace was cleared meanwhile: a clear tells the watchers first, and removes the entries then.
            if (flight.IsRenewed && flight.IsOutdatedNow)
                _store.Remove(utf8Key.Bytes);
        }
        catch (ObjectDisposedException) when (_store.IsDisposed)
        {
            // The callers get the value; it is not stored.
        }
    }

    /// <summary>
    /// Replaces the state that was there before; the last attempt ignores writes of other keys of the bucket.
    /// </summary>
    private bool TryWriteOver(
        Flight flight, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, in EntryOptions options, Snapshot before)
    {
        for (int attempts = 0; attempts < WriteAttemptsMax && !flight.IsOutdated; attempts++)
        {
            var status = _store.SetIfUnchanged(key, value, options, before.Stamp.Version);
            if (status != WriteStatus.ConditionNotMet)
                return IsDone(status, value.Length);
            var present = TakeSnapshot(key);
            if (!before.IsStillThere(present, _store.NowMs))
                return false;
            before = present;
        }

        if (flight.IsOutdated)
            return false;
        var expected = new ExpectedEntry
        {
            Exists = before.Bytes is not null,
            Value = before.Bytes,
            ExpiresAtMs = before.Stamp.ExpiresAtMs,
            Watched = flight.Watched!,
        };
        return IsDone(_store.SetIfExpected(key, value, options, expected), value.Length);
    }
}
