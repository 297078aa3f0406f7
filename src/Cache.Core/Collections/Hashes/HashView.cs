using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Hashes;

/// <summary>Reads of several fields of a large hash, from a snapshot: nothing is held.</summary>
internal static class HashView
{
    // A store that is disposed meanwhile leaves zeros: seen after so many fields, and at the end.
    private const int FieldsPerCheck = 128;

    // A step of a scan ends with the value that passes this: ten fields may have gigabytes.
    private const long ScanBytesMax = 1 << 20;

    public static void CopyMany<TFields, TSink>(in ObjectView view, ref TFields fields, ref TSink sink)
        where TFields : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        for (int i = 0; i < fields.Count && !sink.IsFull; i++)
        {
            if (!view.TryFindField(fields.GetKey(i), out var entry))
            {
                sink.Miss();
                continue;
            }

            if (entry.IsValueStub)
            {
                using var loan = view.Borrow(entry);
                Take(loan.Value, ref sink);
                continue;
            }

            Take(entry.Value, ref sink);
        }
    }

    private static void Take<TSink>(scoped ReadOnlySpan<byte> value, ref TSink sink)
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        value.CopyTo(sink.GetSpan(value.Length));
        sink.Advance(value.Length);
    }

    /// <summary>Copies all fields that have not expired at a reading of the store's clock of fields.</summary>
    /// <returns>False if there is none: the sink is not called.</returns>
    public static bool TryCopyAll<TSink>(StoreState state, in ObjectView view, long nowMs, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        uint expired = view.CountExpired(nowMs);
        if (expired >= view.Count)
            return false;
        sink.Begin(view.Count - expired);
        var cursor = view.First<ByHashWithValue>().At(0);
        for (uint i = 0; i < view.Count; i++)
        {
            if (!Take(state, view, ref cursor, i, nowMs, ref sink))
                break;
        }

        state.ThrowIfDisposed();
        return true;
    }

    /// <summary>Copies fields in the order of their hashes, and all of those with one hash.</summary>
    /// <returns>Where to go on: the next hash; 0 at the end.</returns>
    public static ulong CopyFrom<TSink>(
        StoreState state, in ObjectView view, ulong from, int count, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        long nowMs = state.Fields.NowMs;
        uint found = CountFrom(view, from, count, nowMs, out uint live, out ulong next);
        sink.Begin(live);
        if (found != 0)
        {
            var cursor = view.First<ByHashWithValue>().AtOrAbove(from, default);
            for (uint i = 0; i < found && Take(state, view, ref cursor, i, nowMs, ref sink); i++)
            {
            }
        }

        state.ThrowIfDisposed();
        return next;
    }

    /// <summary>Copies fields at random; different ones in the order of their hashes.</summary>
    /// <returns>False if all fields have expired: the sink is not called.</returns>
    public static bool TryCopyRandom<TSink>(
        StoreState state, in ObjectView view, long nowMs, long count, bool mayRepeat, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        var ranks = new LiveRanks(view, nowMs);
        if (ranks.Count == 0)
            return false;
        if (!mayRepeat && count >= ranks.Count)
            return TryCopyAll(state, view, nowMs, ref sink);
        try
        {
            sink.Begin(count);
            if (mayRepeat)
            {
                for (long i = 0; i < count && TakeAt(state, view, ranks.Next(), i, ref sink); i++)
                {
                }
            }
            else
                CopyDifferent(state, view, ref ranks, (int)count, ref sink);
        }
        finally // The caller's code may throw.
        {
            ranks.Dispose();
        }

        state.ThrowIfDisposed();
        return true;
    }

    private static void CopyDifferent<TSink>(
        StoreState state, in ObjectView view, ref LiveRanks live, int count, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        uint[] ranks = PooledGrowth.Rent<uint>(count);
        try
        {
            live.Choose(ranks.AsSpan(0, count));
            for (int i = 0; i < count && TakeAt(state, view, ranks[i], i, ref sink); i++)
            {
            }
        }
        finally // The caller's code may throw.
        {
            PooledGrowth.Return(ranks);
        }
    }

    private static bool TakeAt<TSink>(StoreState state, in ObjectView view, uint rank, long index, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        var cursor = view.First<ByHashWithValue>().At(rank);
        return Take(state, view, ref cursor, (uint)index, nowMs: 0, ref sink);
    }

    private static uint CountFrom(
        in ObjectView view, ulong from, int count, long nowMs, out uint live, out ulong next)
    {
        next = 0;
        live = 0;
        uint found = 0;
        if (from > uint.MaxValue)
            return 0;
        long bytes = 0;
        var cursor = view.First<ByHashWithValue>().AtOrAbove(from, default);
        for (; cursor.IsValid && found < view.Count; cursor.MoveNext(), found++)
        {
            if ((found >= count || bytes >= ScanBytesMax) && cursor.Key >= next)
                return found;
            next = cursor.Key + 1;
            var entry = cursor.Entry;
            bytes += entry.NameLength + entry.ValueLength;
            live += IsLive(entry, nowMs) ? 1U : 0;
        }

        next = 0;
        return found;
    }

    private static bool IsLive(in TreeEntry entry, long nowMs) => entry.Moment == 0 || entry.Moment > nowMs;

    /// <summary>Tells the field at a cursor, unless it has expired, and moves on.</summary>
    /// <returns>False at the end, and where the sink is full: it stays there.</returns>
    public static bool Take<TSink>(
        StoreState state, in ObjectView view, ref TreeCursor<ByHashWithValue> cursor, uint index, long nowMs,
        ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        if (index % FieldsPerCheck == 0)
            state.ThrowIfDisposed();
        if (!cursor.IsValid || sink.IsFull)
            return false;
        var entry = cursor.Entry;
        if (IsLive(entry, nowMs))
            Tell(view, entry, ref sink);
        cursor.MoveNext();
        return true;
    }

    private static void Tell<TSink>(in ObjectView view, in TreeEntry entry, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        if (!entry.HasStub)
        {
            sink.Take(entry.Name, entry.Value);
            return;
        }

        using var loan = view.Borrow(entry);
        sink.Take(entry.IsNameStub ? loan.Name : entry.Name, entry.IsValueStub ? loan.Value : entry.Value);
    }
}
