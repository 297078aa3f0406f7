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

    public static void CopyAll<TSink>(StoreState state, in ObjectView view, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        sink.Begin(view.Count);
        var cursor = view.First<ByHashWithValue>().At(0);
        for (uint i = 0; i < view.Count; i++)
        {
            if (!Take(state, view, ref cursor, i, ref sink))
                break;
        }

        state.ThrowIfDisposed();
    }

    /// <summary>Copies fields in the order of their hashes, and all of those with one hash.</summary>
    /// <returns>Where to go on: the next hash; 0 at the end.</returns>
    public static ulong CopyFrom<TSink>(
        StoreState state, in ObjectView view, ulong from, int count, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        uint found = CountFrom(view, from, count, out ulong next);
        sink.Begin(found);
        if (found != 0)
        {
            var cursor = view.First<ByHashWithValue>().AtOrAbove(from, default);
            for (uint i = 0; i < found && Take(state, view, ref cursor, i, ref sink); i++)
            {
            }
        }

        state.ThrowIfDisposed();
        return next;
    }

    /// <summary>Copies fields at random; different ones in the order of their hashes.</summary>
    public static void CopyRandom<TSink>(
        StoreState state, in ObjectView view, long count, bool mayRepeat, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        if (!mayRepeat && count >= view.Count)
        {
            CopyAll(state, view, ref sink);
            return;
        }

        sink.Begin(count);
        if (mayRepeat)
        {
            for (long i = 0; i < count && TakeAt(state, view, RandomRanks.Next(view.Count), i, ref sink); i++)
            {
            }
        }
        else
            CopyDifferent(state, view, (int)count, ref sink);
        state.ThrowIfDisposed();
    }

    private static void CopyDifferent<TSink>(StoreState state, in ObjectView view, int count, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        uint[] ranks = PooledGrowth.Rent<uint>(count);
        try
        {
            RandomRanks.Choose(ranks.AsSpan(0, count), view.Count);
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
        return Take(state, view, ref cursor, (uint)index, ref sink);
    }

    private static uint CountFrom(in ObjectView view, ulong from, int count, out ulong next)
    {
        next = 0;
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
            bytes += cursor.Entry.ValueLength;
        }

        next = 0;
        return found;
    }

    private static bool Take<TSink>(
        StoreState state, in ObjectView view, ref TreeCursor<ByHashWithValue> cursor, uint index, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        if (index % FieldsPerCheck == 0)
            state.ThrowIfDisposed();
        if (!cursor.IsValid || sink.IsFull)
            return false;
        var entry = cursor.Entry;
        if (entry.IsValueStub)
        {
            using var loan = view.Borrow(entry);
            sink.Take(entry.Name, loan.Value);
        }
        else
        {
            sink.Take(entry.Name, entry.Value);
        }

        cursor.MoveNext();
        return true;
    }
}
