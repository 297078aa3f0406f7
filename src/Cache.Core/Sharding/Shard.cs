using System.Buffers.Text;
using System.Diagnostics;
using Cache.Core.Contracts;

namespace Cache.Core.Sharding;

/// <summary>One part of the store, with the entries whose hash falls to it: a chained table behind one lock.</summary>
/// <remarks>
/// A first version, to be replaced behind this surface by versioned buckets over native segments. Concurrency: every
/// member takes <see cref="Gate"/>, which is re-entrant, so that an operation on several keys takes the gates of all
/// their shards first, in ascending order of <see cref="Index"/>, and then calls the same members.
/// </remarks>
internal sealed partial class Shard(StoreState state, int index)
{
    private readonly StoreState _state = state;

    // Statistics, written under the gate.
    private long _hits;
    private long _misses;
    private ulong _lastVersion;

    /// <summary>The position among the shards, which is also the order of locking.</summary>
    public int Index { get; } = index;

    public object Gate { get; } = new();

    public bool TryGet<TSink>(in EntryKey key, ByteRange bytes, ref TSink sink, out EntryInfo info)
        where TSink : struct, IValueSink, allows ref struct
    {
        lock (Gate)
        {
            var entry = FindForRead(key);
            info = InfoOf(entry);
            if (entry is null)
                return false;
            Copy(entry, bytes, ref sink);
            return true;
        }
    }

    public bool TryGetInfo(in EntryKey key, bool touch, out EntryInfo info)
    {
        lock (Gate)
        {
            var entry = touch ? FindForRead(key) : Find(key);
            info = InfoOf(entry);
            return entry is not null;
        }
    }

    public bool TryGetAndExpire<TSink>(in EntryKey key, long expiresAtMs, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        lock (Gate)
        {
            var entry = FindForRead(key);
            if (entry is null)
                return false;
            Copy(entry, ByteRange.All, ref sink);
            SetExpiry(entry, expiresAtMs, slidingMs: 0);
            return true;
        }
    }

    public bool TryRemove<TSink>(in EntryKey key, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        lock (Gate)
        {
            var entry = FindForRead(key);
            if (entry is null)
                return false;
            Copy(entry, ByteRange.All, ref sink);
            Unlink(entry);
            return true;
        }
    }

    public bool Remove(in EntryKey key)
    {
        lock (Gate)
        {
            var entry = Find(key);
            if (entry is null)
                return false;
            Unlink(entry);
            return true;
        }
    }

    public WriteStatus Set(in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options)
    {
        lock (Gate)
            return SetCore(key, Find(key), value, options);
    }

    public WriteStatus Set<TSink>(
        in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, ref TSink previous, out bool existed)
        where TSink : struct, IValueSink, allows ref struct
    {
        lock (Gate)
        {
            var entry = Find(key);
            existed = entry is not null;
            if (entry is not null)
                Copy(entry, ByteRange.All, ref previous);
            return SetCore(key, entry, value, options);
        }
    }

    public WriteStatus SetIfUnchanged(
        in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, EntryVersion version)
    {
        lock (Gate)
        {
            var entry = Find(key);
            return InfoOf(entry).Version == version ? SetCore(key, entry, value, options) : WriteStatus.ConditionNotMet;
        }
    }

    public WriteStatus SetRange(in EntryKey key, int offset, ReadOnlySpan<byte> value, bool atEnd, out int length)
    {
        lock (Gate)
        {
            var entry = Find(key);
            length = entry?.Length ?? 0;
            long from = atEnd ? length : offset;
            long end = Math.Max(length, from + value.Length);
            if (end > _state.ValueLengthMax)
                return WriteStatus.ValueTooLong;
            var status = Reserve(key, ref entry, (int)end);
            if (status != WriteStatus.Done)
                return status;
            if (from > length)
                entry!.Value.AsSpan(length, (int)from - length).Clear();
            value.CopyTo(entry!.Value.AsSpan((int)from));
            length = entry.Length = (int)end;
            Written(entry);
            return WriteStatus.Done;
        }
    }

    public WriteStatus Increment(in EntryKey key, long delta, out long result)
    {
        lock (Gate)
        {
            var entry = Find(key);
            result = 0;
            if (entry is not null && !CanonicalInteger.TryParse(entry.Value.AsSpan(0, entry.Length), out result))
                return WriteStatus.NotAnInteger;
            long sum = unchecked(result + delta);
            if (((result ^ sum) & (delta ^ sum)) < 0)
                return WriteStatus.Overflow;
            Span<byte> text = stackalloc byte[CanonicalInteger.LengthMax];
            bool formatted = Utf8Formatter.TryFormat(sum, text, out int length);
            Debug.Assert(formatted, "Twenty digits hold every 64-bit integer.");
            result = sum;
            return SetCore(key, entry, text[..length], new EntryOptions { KeepTtl = true });
        }
    }

    public WriteStatus Expire(in EntryKey key, long expiresAtMs, ExpireConditions conditions)
    {
        lock (Gate)
        {
            var entry = Find(key);
            if (entry is null)
                return WriteStatus.NotFound;
            if (!Holds(conditions, entry.DeadlineMs, expiresAtMs))
                return WriteStatus.ConditionNotMet;
            SetExpiry(entry, expiresAtMs, slidingMs: 0);
            return WriteStatus.Done;
        }
    }

    public WriteStatus Persist(in EntryKey key)
    {
        lock (Gate)
        {
            var entry = Find(key);
            if (entry is null)
                return WriteStatus.NotFound;
            if (entry.DeadlineMs == 0)
                return WriteStatus.ConditionNotMet;
            SetExpiry(entry, expiresAtMs: 0, slidingMs: 0);
            return WriteStatus.Done;
        }
    }

    /// <summary>Writes a whole entry as it stands elsewhere; both shards' gates are held by the caller.</summary>
    public WriteStatus Adopt(in EntryKey key, Entry source)
    {
        Debug.Assert(Monitor.IsEntered(Gate));
        var entry = Find(key);
        var status = Reserve(key, ref entry, source.Length);
        if (status != WriteStatus.Done)
            return status;
        source.Value.AsSpan(0, source.Length).CopyTo(entry!.Value);
        entry.Length = source.Length;
        SetDeadline(entry, source.DeadlineMs, source.AbsoluteMs, source.SlidingMs);
        Written(entry);
        return WriteStatus.Done;
    }

    /// <summary>
    /// The live entry of a key, or null; an expired one is removed on the way. The caller holds the gate.
    /// </summary>
    public Entry? Find(in EntryKey key)
    {
        Debug.Assert(Monitor.IsEntered(Gate));
        var entry = Lookup(key);
        if (entry is null || !IsExpired(entry, _state.Clock.NowMs))
            return entry;
        Expire(entry);
        return null;
    }

    private Entry? FindForRead(in EntryKey key)
    {
        var entry = Find(key);
        if (entry is null)
        {
            _misses++;
            return null;
        }

        _hits++;
        entry.LastUse = _state.NextUse();
        if (entry.SlidingMs > 0)
            SetDeadline(entry, Slide(entry.SlidingMs, entry.AbsoluteMs), entry.AbsoluteMs, entry.SlidingMs);
        return entry;
    }

    private WriteStatus SetCore(in EntryKey key, Entry? entry, ReadOnlySpan<byte> value, in EntryOptions options)
    {
        if (options.Condition == (entry is null ? SetCondition.IfPresent : SetCondition.IfAbsent))
            return WriteStatus.ConditionNotMet;
        bool existed = entry is not null;
        var status = Reserve(key, ref entry, value.Length);
        if (status != WriteStatus.Done)
            return status;
        value.CopyTo(entry!.Value);
        entry.Length = value.Length;
        Written(entry);
        if (!options.KeepTtl || !existed)
            SetExpiry(entry, options.ExpiresAtMs, options.SlidingMs);
        return WriteStatus.Done;
    }

    /// <summary>Makes the entry if there is none, and room in it for a value; the old value's bytes stay.</summary>
    private WriteStatus Reserve(in EntryKey key, ref Entry? entry, int length)
    {
        if (key.Bytes.Length > EntryKey.LengthMax)
            return WriteStatus.KeyTooLong;
        if (length > _state.ValueLengthMax)
            return WriteStatus.ValueTooLong;
        bool fits = entry is not null && entry.Value.Length >= length && entry.Value.Length - length <= length / 4;
        if (fits)
            return WriteStatus.Done;
        long before = entry?.SizeBytes ?? 0;
        long growth = Entry.SizeOf(key.Bytes.Length, length) - before;
        if (growth > 0 && !MakeRoom(growth, keep: entry))
            return WriteStatus.OutOfMemory;
        entry ??= Link(new Entry(key.Bytes.ToArray(), key.Keyspace, key.Hash));
        Array.Resize(ref entry.Value, length);
        _state.Budget.Add(entry.SizeBytes - before);
        return WriteStatus.Done;
    }

    private void Written(Entry entry)
    {
        entry.Version = ++_lastVersion;
        entry.LastUse = _state.NextUse();
    }

    // An absent key's stamp is the shard's: an entry that came and went meanwhile has changed it.
    private EntryInfo InfoOf(Entry? entry)
    {
        if (entry is null)
            return new EntryInfo { Version = new EntryVersion(_lastVersion) };
        return new EntryInfo
        {
            Version = new EntryVersion(entry.Version),
            Length = entry.Length,
            ExpiresAtMs = entry.DeadlineMs,
            SlidingMs = entry.SlidingMs,
        };
    }

    private static void Copy<TSink>(Entry entry, ByteRange bytes, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        var (offset, length) = bytes.Within(entry.Length);
        var value = entry.Value.AsSpan(offset, length);
        value.CopyTo(sink.GetSpan(value.Length));
        sink.Advance(value.Length);
    }
}
