using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Reads of many members of a large set or sorted set, from a snapshot: nothing is held.</summary>
internal static class MemberView
{
    // A store that is disposed meanwhile leaves zeros: seen after so many members, and at the end.
    private const int MembersPerCheck = 128;

    // A step of a scan ends with the member that passes this: ten members may have gigabytes.
    private const long ScanBytesMax = 1 << 20;

    /// <summary>Tells all members of a set, or of a sorted set in the order of their hashes.</summary>
    public static void TellAll<TSink>(StoreState state, in ObjectView view, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        if (view.Kind == EntryKind.Set)
            Tell(state, view, view.First<ByHash>().At(0), view.Count, isReversed: false, ref sink);
        else
            Tell(state, view, view.First<ByHashWithValue>().At(0), view.Count, isReversed: false, ref sink);
    }

    /// <summary>Tells members that follow each other, from a place on.</summary>
    public static void Tell<TOrder, TSink>(
        StoreState state, in ObjectView view, TreeCursor<TOrder> cursor, long count, bool isReversed, ref TSink sink)
        where TOrder : struct, ITreeOrder
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        for (long i = 0; i < count && cursor.IsValid && !sink.IsFull; i++)
        {
            if (i % MembersPerCheck == 0)
                state.ThrowIfDisposed();
            Take(view, cursor, ref sink);
            if (isReversed)
                cursor.MovePrevious();
            else
                cursor.MoveNext();
        }

        state.ThrowIfDisposed();
    }

    /// <summary>Tells members in the order of their hashes, and all of those with one hash.</summary>
    /// <returns>Where to go on: the next hash; 0 at the end.</returns>
    public static ulong TellFrom<TSink>(
        StoreState state, in ObjectView view, ulong from, int count, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct => view.Kind == EntryKind.Set
        ? TellFrom(state, view, view.First<ByHash>(), from, count, ref sink)
        : TellFrom(state, view, view.First<ByHashWithValue>(), from, count, ref sink);

    /// <summary>Tells members at random.</summary>
    public static void TellRandom<TSink>(
        StoreState state, in ObjectView view, long count, bool mayRepeat, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        long told = mayRepeat ? count : Math.Min(count, view.Count);
        sink.Begin(told);
        if (!mayRepeat && told == view.Count)
        {
            TellAll(state, view, ref sink);
            return;
        }

        if (mayRepeat)
        {
            for (long i = 0; i < told && !sink.IsFull; i++)
                TellAt(state, view, RandomRanks.Next(view.Count), i, ref sink);
            state.ThrowIfDisposed();
            return;
        }

        uint[] ranks = PooledGrowth.Rent<uint>((int)told);
        try
        {
            RandomRanks.Choose(ranks.AsSpan(0, (int)told), view.Count);
            for (int i = 0; i < told && !sink.IsFull; i++)
                TellAt(state, view, ranks[i], i, ref sink);
            state.ThrowIfDisposed();
        }
        finally // The store may have been disposed, and the sink may throw.
        {
            PooledGrowth.Return(ranks);
        }
    }

    /// <summary>Copies a member at random, perhaps a long one, from a snapshot.</summary>
    public static ReadStatus CopyRandom<TSink>(StoreState state, scoped in EntryKey key, EntryKind kind, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        using var copy = CollectionCopy.Peek(state, key, kind, out var status, out _);
        if (status != ReadStatus.Found)
            return status;
        var member = new CopiedMember<TSink>(sink);
        if (copy.IsObject)
            TellRandom(state, copy.View, count: 1, mayRepeat: true, ref member);
        else if (new RandomElements(copy.Table, count: 1, mayRepeat: true).TryMoveNext(out var place))
            member.Take(copy.Table.NameAt(place), score: 0);
        sink = member.Sink;
        return member.IsFull ? ReadStatus.Found : ReadStatus.NotFound;
    }

    /// <summary>The score of the member at a place; of a set 0.</summary>
    public static double ScoreAt<TOrder>(
        in ObjectView view, in TreeCursor<TOrder> cursor, scoped ReadOnlySpan<byte> member)
        where TOrder : struct, ITreeOrder
    {
        double score = 0;
        if (TOrder.KeySize != sizeof(ulong))
        {
            if (TOrder.HasValue)
                PackedScore.TryRead(cursor.Entry.Value, out score);
            return score;
        }

        ulong key = cursor.Key;
        if (key != ScoreKey.Zero)
            return ScoreKey.ScoreOf(key);
        if (view.TryFindName(member, out var found)) // 0 or −0.
            PackedScore.TryRead(found.Value, out score);
        return score;
    }

    /// <summary>Takes a member of a sorted set that the caller holds.</summary>
    public static void TakeAt(in ObjectView view, in TreeCursor<ByScore> cursor, TakenMembers taken)
    {
        var entry = cursor.Entry;
        if (!entry.IsNameStub)
        {
            taken.Add(entry.Name, ScoreAt(view, cursor, entry.Name));
            return;
        }

        using var loan = view.Borrow(entry);
        taken.Add(view, entry, ScoreAt(view, cursor, loan.Name));
    }

    /// <summary>Tells the member at a cursor, one of many.</summary>
    public static void Take<TOrder, TSink>(
        StoreState state, in ObjectView view, in TreeCursor<TOrder> cursor, long index, ref TSink sink)
        where TOrder : struct, ITreeOrder
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        if (index % MembersPerCheck == 0)
            state.ThrowIfDisposed();
        Take(view, cursor, ref sink);
    }

    private static void TellAt<TSink>(StoreState state, in ObjectView view, uint rank, long index, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        if (index % MembersPerCheck == 0)
            state.ThrowIfDisposed();
        if (view.Kind == EntryKind.Set)
            TellAt(view, view.First<ByHash>().At(rank), ref sink);
        else
            TellAt(view, view.First<ByHashWithValue>().At(rank), ref sink);
    }

    private static void TellAt<TOrder, TSink>(in ObjectView view, TreeCursor<TOrder> cursor, ref TSink sink)
        where TOrder : struct, ITreeOrder
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        if (cursor.IsValid)
            Take(view, cursor, ref sink);
    }

    private static void Take<TOrder, TSink>(in ObjectView view, in TreeCursor<TOrder> cursor, ref TSink sink)
        where TOrder : struct, ITreeOrder
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        var entry = cursor.Entry;
        if (!entry.IsNameStub)
        {
            sink.Take(entry.Name, ScoreAt(view, cursor, entry.Name));
            return;
        }

        using var loan = view.Borrow(entry);
        sink.Take(loan.Name, ScoreAt(view, cursor, loan.Name));
    }

    private static ulong TellFrom<TOrder, TSink>(
        StoreState state, in ObjectView view, TreeReader<TOrder> tree, ulong from, int count, ref TSink sink)
        where TOrder : struct, ITreeOrder
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        uint found = CountFrom(tree, view.Count, from, count, out ulong next);
        sink.Begin(found);
        if (found != 0)
            Tell(state, view, tree.AtOrAbove(from, default), found, isReversed: false, ref sink);
        state.ThrowIfDisposed();
        return next;
    }

    private static uint CountFrom<TOrder>(
        TreeReader<TOrder> tree, uint all, ulong from, int count, out ulong next)
        where TOrder : struct, ITreeOrder
    {
        next = 0;
        uint found = 0;
        long bytes = 0;
        if (from > uint.MaxValue)
            return 0;
        var cursor = tree.AtOrAbove(from, default);
        for (; cursor.IsValid && found < all; cursor.MoveNext(), found++)
        {
            if ((found >= count || bytes >= ScanBytesMax) && cursor.Key >= next)
                return found;
            next = cursor.Key + 1;
            bytes += cursor.Entry.NameLength;
        }

        next = 0;
        return found;
    }
}
