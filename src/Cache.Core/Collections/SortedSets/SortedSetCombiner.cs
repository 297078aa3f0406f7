using System.Diagnostics;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.SortedSets;

/// <summary>A union, intersection or difference of sorted sets that it takes one after the other; dispose it.</summary>
/// <remarks>bytesMax: Of the members, beyond which it refuses to take more.</remarks>
internal sealed class SortedSetCombiner(
    StoreState state, SetCombination combination, ScoreAggregate aggregate, long bytesMax) : IDisposable
{
    // The score of each member of a set.
    private const double SetScore = 1;

    private readonly MemberTable _members = new(state, bytesMax);
    private readonly SortedSetReplacer _replacer = new(state);

    // The members that belong, by score and member.
    private int[] _sorted = [];

    // Sets taken so far. A member's mark is the number of those that it is known to belong in.
    private int _taken;

    private SetCombination Combination => combination;

    /// <summary>The number of members, once all sets are taken.</summary>
    public int Count { get; private set; }

    /// <summary>Takes the sorted set, or the set, of a key.</summary>
    public WriteStatus Take(scoped in EntryKey key, double weight)
    {
        using var sorted = CollectionCopy.Take(state, key, EntryKind.SortedSet, out var read);
        bool isTaken;
        if (read == ReadStatus.WrongType)
        {
            using var set = CollectionCopy.Take(state, key, EntryKind.Set, out read);
            if (read == ReadStatus.WrongType)
                return WriteStatus.WrongType;
            isTaken = TryTake(set, hasScores: false, weight);
        }
        else
        {
            isTaken = TryTake(sorted, hasScores: true, weight);
        }

        _taken++;
        return isTaken ? WriteStatus.Done : WriteStatus.CollectionTooLong;
    }

    /// <summary>Ends: all sets are taken.</summary>
    public void End()
    {
        if (_sorted.Length < _members.Count)
        {
            GiveBack();
            _sorted = PooledGrowth.Rent<int>(_members.Count);
        }

        Count = 0;
        for (int i = 0; i < _members.Count; i++)
        {
            if (Belongs(i))
                _sorted[Count++] = i;
        }
    }

    /// <summary>Begins anew.</summary>
    public void Clear()
    {
        _members.Clear();
        _replacer.Clear();
        (_taken, Count) = (0, 0);
    }

    /// <summary>Tells the members in their order.</summary>
    public void CopyTo<TSink>(ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        sink.Begin(Count);
        if (sink.IsFull)
            return;
        _sorted.AsSpan(0, Count).Sort(new ByScore(_members));
        for (int i = 0; i < Count && !sink.IsFull; i++)
            sink.Take(_members[_sorted[i]], _members.ScoreAt(_sorted[i]));
    }

    /// <summary>What a journal is told of a long result.</summary>
    public int ToldBytes => _replacer.ToldBytes;

    /// <summary>Makes the members a large collection, if they do not fit in a record; the key is not locked.</summary>
    public WriteStatus Prepare(scoped in EntryKey key)
    {
        var scores = new Members(_members, _sorted, Count);
        return _replacer.Prepare(key, ref scores);
    }

    /// <summary>Makes the members the value of a key.</summary>
    public WriteStatus Store(scoped in EntryKey key)
    {
        Debug.Assert(Count > 0);
        var scores = new Members(_members, _sorted, Count);
        return _replacer.Store(key, ref scores);
    }

    public void Dispose()
    {
        _members.Dispose();
        _replacer.Dispose();
        GiveBack();
    }

    private void GiveBack()
    {
        if (_sorted.Length > 0)
            PooledGrowth.Return(_sorted);
        _sorted = [];
    }

    private bool Belongs(int index) => combination switch
    {
        SetCombination.Union => true,
        SetCombination.Intersection => _members.MarkAt(index) == _taken - 1,
        _ => _members.MarkAt(index) == 0,
    };

    private bool TryTake(in CollectionCopy copy, bool hasScores, double weight)
    {
        var taker = new Taker(this, _taken == 0 || combination == SetCombination.Union, hasScores, weight);
        if (copy.IsObject)
        {
            if (taker.Adds || _members.Count > copy.View.Count)
                MemberView.TellAll(state, copy.View, ref taker);
            else
                MarkFound(copy.View, ref taker);
            return !taker.IsFull;
        }

        var table = copy.Table;
        for (var place = PackedTable.BeforeFirst; !taker.IsFull && table.TryMoveNext(ref place);)
            taker.Take(table.NameAt(place), hasScores ? SortedOrder.ScoreAt(table, place) : SetScore);
        return !taker.IsFull;
    }

    // Of a large collection, only those that are here are looked for.
    private void MarkFound(in ObjectView view, ref Taker taker)
    {
        for (int i = 0; i < _members.Count; i++)
        {
            double score = 0;
            if (view.TryFindName(_members[i], out var entry))
            {
                PackedScore.TryRead(entry.Value, out score);
                taker.Mark(i, score);
            }
        }

        state.ThrowIfDisposed();
    }

    private bool TryAdd(ReadOnlySpan<byte> member, double score)
    {
        int index = _members.Add(member, out bool isNew);
        if (index < 0)
            return false;
        ref double present = ref _members.ScoreAt(index);
        present = isNew ? score : Aggregate(present, score);
        return true;
    }

    // Of an intersection, a mark counts the sets behind the first that all have the member; of a difference, 1 ends it.
    private void Mark(int index, double score)
    {
        ref int mark = ref _members.MarkAt(index);
        if (combination == SetCombination.Difference)
        {
            mark = 1;
        }
        else if (mark == _taken - 1)
        {
            mark = _taken;
            ref double present = ref _members.ScoreAt(index);
            present = Aggregate(present, score);
        }
    }

    // Infinity minus infinity, or times nothing, is no number: 0, as in Redis.
    private double Aggregate(double present, double score)
    {
        if (aggregate == ScoreAggregate.Min)
            return score < present ? score : present;
        if (aggregate == ScoreAggregate.Max)
            return score > present ? score : present;
        double sum = present + score;
        return double.IsNaN(sum) ? 0 : sum;
    }

    private struct Taker(SortedSetCombiner combiner, bool adds, bool hasScores, double weight) : IScoredMemberSink
    {
        public readonly bool Adds => adds;

        // There is no room for another one.
        public bool IsFull { get; private set; }

        public readonly void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> member, double score)
        {
            if (adds)
            {
                double weighted = Weighted(score);
                IsFull = !combiner.TryAdd(member, double.IsNaN(weighted) ? 0 : weighted);
                return;
            }

            int index = combiner._members.Find(member);
            if (index >= 0)
                Mark(index, score);
        }

        public readonly void Mark(int index, double score) => combiner.Mark(index, Weighted(score));

        private readonly double Weighted(double score)
        {
            if (!hasScores)
                score = SetScore;
            return combiner.Combination == SetCombination.Difference ? score : score * weight;
        }
    }

    private readonly struct ByScore(MemberTable members) : IComparer<int>
    {
        public int Compare(int x, int y) =>
            SortedOrder.Compare(members.ScoreAt(x), members[x], members.ScoreAt(y), members[y]);
    }

    private readonly struct Members(MemberTable members, int[] indexes, int count) : IScoreSource
    {
        public int Count => count;

        public ReadOnlySpan<byte> GetKey(int index) => members[indexes[index]];

        public double GetScore(int index) => members.ScoreAt(indexes[index]);
    }
}
