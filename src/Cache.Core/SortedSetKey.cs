using System.Buffers;
using Cache.Core.Collections;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.SortedSets;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>
/// A key whose value is a sorted set: members, each with a score. Made by <see cref="CacheStore.SortedSet"/>.
/// </summary>
/// <remarks>
/// The members are ordered by score, and by their bytes where scores are equal. Nothing is read when it is made: each
/// call looks for the key, and is atomic. An absent key is a sorted set without members; the first member makes it, and
/// with the last one it goes. Reads take no lock, count as reads of the key, and are told to a sink only when they are
/// known to be consistent. A key with a value of another kind stays as it is: the status is WrongType. A score is any
/// number but NaN, and a member may be as long as the value of a string. Where thousands of members of one score have
/// their first 1,024 bytes in common, another one between two of them may be refused with
/// <see cref="WriteStatus.CollectionTooLong"/>; it changes nothing.
/// <example><code>
/// SortedSetKey board = store.SortedSet("board"u8);
/// board.Add("ada"u8, 120);
/// board.Increment("ada"u8, 30, out double score);
/// board.TryGetRank("ada"u8, isReversed: true, out long place);
/// </code></example>
/// </remarks>
public readonly ref partial struct SortedSetKey
{
    private const int StepMax = ElementChanges.CountMax;

    private readonly CacheStore _store;
    private readonly EntryKey _key;

    internal SortedSetKey(CacheStore store, EntryKey key)
    {
        _store = store;
        _key = key;
    }

    /// <summary>The number of members; 0 if the key is absent or of another kind.</summary>
    public long Count
    {
        get
        {
            GetCount(out long count);
            return count;
        }
    }

    /// <summary>The number of members.</summary>
    /// <param name="count">The number; 0 unless the status is Found.</param>
    public ReadStatus GetCount(out long count)
    {
        var query = new PlaceQuery(PackedShape.SortedSet, default, mayFind: false);
        var status = Query(ref query);
        count = status == ReadStatus.Found ? query.Count : 0;
        return status;
    }

    /// <summary>The number of members in a range.</summary>
    /// <param name="range">The range.</param>
    /// <param name="count">The number; 0 unless the status is Found.</param>
    public ReadStatus GetCount(in SortedSetRange range, out long count)
    {
        byte[] room = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
        try
        {
            var query = new RangeQuery(range, room.AsSpan(0, PackedTable.LengthMax), found: null);
            var status = Query(ref query);
            count = 0;
            if (status != ReadStatus.Found)
                return status;
            if (query.IsLong)
                return CountLong(range, out count);
            count = query.IsObject ? query.Slice.Count : RangeSlice.Of(query.Table, range).Count;
            return status;
        }
        finally // The store may have been disposed.
        {
            ArrayPool<byte>.Shared.Return(room);
        }
    }

    /// <summary>Whether there is a member.</summary>
    public bool Contains(ReadOnlySpan<byte> member) => GetScore(member, out _) == ReadStatus.Found;

    /// <summary>The score of a member.</summary>
    /// <returns>False if there is no such member, or the key is of another kind.</returns>
    public bool TryGetScore(ReadOnlySpan<byte> member, out double score) =>
        GetScore(member, out score) == ReadStatus.Found;

    /// <summary>The score of a member.</summary>
    /// <param name="member">The member.</param>
    /// <param name="score">The score; 0 unless the status is Found.</param>
    /// <returns>Found; NotFound if the key or the member is absent; or WrongType.</returns>
    public ReadStatus GetScore(ReadOnlySpan<byte> member, out double score)
    {
        var status = Find(member, needsRank: false, out var query);
        score = query.Score;
        return status;
    }

    /// <summary>The scores of several members, as of one moment.</summary>
    /// <param name="members">The members.</param>
    /// <param name="scores">
    /// Receives the score of each, null of one that is absent; nothing if the key is of another kind.
    /// </param>
    /// <returns>NotFound if the key is absent: then no member is there.</returns>
    public ReadStatus GetScores<TMembers>(ref TMembers members, Span<double?> scores)
        where TMembers : struct, IKeySource, allows ref struct
    {
        using var copy = Copy(out var status);
        if (status == ReadStatus.WrongType)
            return status;
        if (copy.IsObject)
        {
            for (int i = 0; i < members.Count; i++)
                scores[i] = RangeTelling.ScoreOf(copy, members.GetKey(i));
            _store.State.ThrowIfDisposed();
            return status;
        }

        if (members.Count > NameTable.CountMin)
        {
            FindTable(copy.Table, ref members, scores);
            return status;
        }

        var table = copy.Table;
        for (int i = 0; i < members.Count; i++)
        {
            var member = members.GetKey(i);
            scores[i] = table.TryFind(member, PackedPrint.Of(member), out var place)
                ? SortedOrder.ScoreAt(table, place)
                : null;
        }

        return status;
    }

    /// <summary>The rank of a member: how many are before it.</summary>
    /// <param name="member">The member.</param>
    /// <param name="isReversed">Whether the highest comes first.</param>
    /// <param name="rank">The rank from 0.</param>
    /// <returns>False if there is no such member, or the key is of another kind.</returns>
    public bool TryGetRank(ReadOnlySpan<byte> member, bool isReversed, out long rank) =>
        GetRank(member, isReversed, out rank) == ReadStatus.Found;

    /// <summary>The rank of a member: how many are before it.</summary>
    /// <param name="member">The member.</param>
    /// <param name="isReversed">Whether the highest comes first.</param>
    /// <param name="rank">The rank from 0; 0 unless the status is Found.</param>
    /// <returns>Found; NotFound if the key or the member is absent; or WrongType.</returns>
    public ReadStatus GetRank(ReadOnlySpan<byte> member, bool isReversed, out long rank)
    {
        var status = Find(member, needsRank: true, out var query);
        rank = status != ReadStatus.Found ? 0 : isReversed ? query.Count - 1 - query.Index : query.Index;
        return status;
    }

    /// <summary>Copies the members of a range into the sink in its order, as of one moment.</summary>
    /// <returns>NotFound or WrongType: then the sink is not called.</returns>
    public ReadStatus GetRange<TSink>(in SortedSetRange range, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        using var found = TakenMembers.Rent();
        byte[] room = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
        try
        {
            var query = new RangeQuery(range, room.AsSpan(0, PackedTable.LengthMax), found);
            var status = Query(ref query);
            if (status != ReadStatus.Found)
                return status;
            if (!query.IsObject)
                RangeTelling.Tell(query.Table, range, ref sink);
            else if (!query.IsLong && query.Slice.Count <= RangeQuery.MembersMax)
                Tell(found, ref sink);
            else
                status = TellLong(range, ref sink);
            return status;
        }
        finally // The store may have been disposed, and the sink may throw.
        {
            ArrayPool<byte>.Shared.Return(room);
        }
    }

    /// <summary>Begins to read a range of a large sorted set in parts, as of one moment.</summary>
    /// <remarks>Counts as a read of the key. What others write meanwhile is not told.</remarks>
    /// <returns>Null where it is short, of at most 4 KB, or absent, or of another kind: read it at once.</returns>
    public CollectionReading? Read(in SortedSetRange range)
    {
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.SortedSet, out _);
        if (!copy.IsObject)
            return null;
        var slice = RangeSlice.Of(copy.View, range);
        long first = range.IsReversed ? copy.View.Count - slice.Index - slice.Count : slice.Index;
        return copy.TryDetach(out var stub, out uint snapshot)
            ? new CollectionReading(_store.State, stub, snapshot, copy.View, first, slice.Count, range.IsReversed)
            : null;
    }

    /// <summary>
    /// The sorted set as it is now, for several reads of one moment that hold nothing; dispose it.
    /// </summary>
    /// <param name="status">NotFound or WrongType: then it has no members.</param>
    public SortedSetSnapshot TakeSnapshot(out ReadStatus status) => new(Copy(out status));

    /// <summary>Continues a scan of the members, in steps that hold nothing in between.</summary>
    /// <remarks>
    /// A member that is there from beginning to end is returned, perhaps more than once; one that comes or goes
    /// meanwhile may be.
    /// </remarks>
    /// <param name="cursor">0, or what the last step wrote there; 0 again at the end.</param>
    /// <param name="count">About how many members to take; a small sorted set gives all of them.</param>
    /// <param name="sink">Receives the members.</param>
    public ReadStatus Scan<TSink>(ref ulong cursor, int count, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        using var copy = Copy(out var status);
        if (status == ReadStatus.Found && copy.IsObject)
        {
            cursor = MemberView.TellFrom(_store.State, copy.View, cursor, count, ref sink);
            return status;
        }

        cursor = 0;
        if (status == ReadStatus.Found)
            RangeTelling.Tell(copy, SortedSetRange.All, ref sink); // All of it, whatever the cursor, as Redis does.
        return status;
    }

    /// <summary>Copies a member at random into the sink.</summary>
    public ReadStatus GetRandom<TSink>(ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        var query = new RandomElementQuery<TSink>(PackedShape.SortedSet, sink);
        var status = Query(ref query);
        sink = query.Sink;
        if (status != ReadStatus.Found)
            return status;
        if (!query.IsFound)
            return ReadStatus.NotFound;
        if (query.IsLong)
            return MemberView.CopyRandom(_store.State, _key, EntryKind.SortedSet, ref sink);
        sink.Advance(query.Length);
        return status;
    }

    /// <summary>Copies members at random into the sink, as of one moment.</summary>
    /// <param name="count">How many; of different ones no more than there are.</param>
    /// <param name="mayRepeat">Whether a member may be taken more than once.</param>
    /// <param name="sink">Receives the members.</param>
    public ReadStatus GetRandom<TSink>(long count, bool mayRepeat, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        using var copy = Copy(out var status);
        if (status != ReadStatus.Found)
            return status;
        if (copy.IsObject)
        {
            MemberView.TellRandom(_store.State, copy.View, count, mayRepeat, ref sink);
            return status;
        }

        var table = copy.Table;
        var chosen = new RandomElements(table, count, mayRepeat);
        sink.Begin(chosen.Count);
        while (!sink.IsFull && chosen.TryMoveNext(out var place))
            sink.Take(table.NameAt(place), SortedOrder.ScoreAt(table, place));
        return status;
    }

    private void FindTable<TMembers>(in PackedTable present, ref TMembers members, Span<double?> scores)
        where TMembers : struct, IKeySource, allows ref struct
    {
        using var table = NameTable.Of(_store.State, ref members);
        scores[..members.Count].Clear();
        for (var place = PackedTable.BeforeFirst; present.TryMoveNext(ref place);)
        {
            int index = table.Find(ref members, present.NameAt(place));
            if (index >= 0)
                scores[index] = SortedOrder.ScoreAt(present, place);
        }

        for (int i = 0; i < members.Count; i++)
            scores[i] = scores[table.FirstOf(i)];
    }

    // From a snapshot.
    private ReadStatus CountLong(in SortedSetRange range, out long count)
    {
        using var copy = CollectionCopy.Peek(_store.State, _key, EntryKind.SortedSet, out var status, out _);
        count = status == ReadStatus.Found ? RangeTelling.CountOf(copy, range) : 0;
        return status;
    }

    private ReadStatus TellLong<TSink>(in SortedSetRange range, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        using var copy = CollectionCopy.Peek(_store.State, _key, EntryKind.SortedSet, out var status, out _);
        if (status == ReadStatus.Found)
            RangeTelling.Tell(copy, range, ref sink);
        return status;
    }

    private static void Tell<TSink>(TakenMembers found, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        sink.Begin(found.Count);
        for (int position = 0; !sink.IsFull && found.TryMoveNext(ref position, out var member, out double score);)
            sink.Take(member, score);
    }

    private ReadStatus Find(ReadOnlySpan<byte> member, bool needsRank, out PlaceQuery query)
    {
        query = new PlaceQuery(PackedShape.SortedSet, member, mayFind: true, needsRank);
        var status = Query(ref query);
        return status == ReadStatus.Found && !query.IsFound ? ReadStatus.NotFound : status;
    }

    private CollectionCopy Copy(out ReadStatus status) =>
        CollectionCopy.Take(_store.State, _key, EntryKind.SortedSet, out status);

    private ReadStatus Query<TQuery>(ref TQuery query)
        where TQuery : struct, IPackedQuery, IObjectQuery, allows ref struct =>
        _store.State.ShardOf(_key.Hash).QueryAny(_key, EntryKind.SortedSet, ref query);
}
