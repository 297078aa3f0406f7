using System.Buffers;
using Cache.Core.Collections.SortedSets;

namespace Cache.Core;

/// <summary>Operations on several sorted sets.</summary>
public sealed partial class CacheStore
{
    /// <summary>The sorted set of a key: members, each with a score. Nothing is read or made yet.</summary>
    /// <param name="key">The key; its bytes are used while the result is.</param>
    public SortedSetKey SortedSet(ReadOnlySpan<byte> key)
    {
        ThrowIfDisposed();
        return new SortedSetKey(this, KeyOf(key));
    }

    /// <summary>
    /// Copies the union, intersection or difference of several sorted sets into the sink, as of one moment.
    /// </summary>
    /// <param name="combination">Which of these.</param>
    /// <param name="keys">
    /// The keys of sorted sets, or of sets, whose members have the score 1; an absent one has no members.
    /// </param>
    /// <param name="weights">By what the scores of each are multiplied; empty: by 1. A difference ignores it.</param>
    /// <param name="aggregate">The score of a member that several have.</param>
    /// <param name="sink">Receives the members in their order, if the status is Done.</param>
    /// <returns>
    /// Done; WrongType if one of the keys is of another kind; CollectionTooLong if the
    /// members have more than an eighth of the store's limit.
    /// </returns>
    public WriteStatus CombineSortedSets<TKeys, TSink>(
        SetCombination combination, ref TKeys keys, ReadOnlySpan<double> weights, ScoreAggregate aggregate,
        ref TSink sink)
        where TKeys : struct, IKeySource, allows ref struct
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        ThrowIfDisposed();
        ThrowIfWeightsDiffer(keys.Count, weights);
        using var combiner = new SortedSetCombiner(_state, combination, aggregate, CombinedBytesMax);
        var body = new CombineSortedSetsBody<TKeys>(keys, weights, combination, combiner);
        RunAtomically(ref body);
        keys = body.Keys;
        if (body.Status == WriteStatus.Done)
            combiner.CopyTo(ref sink);
        return body.Status;
    }

    /// <summary>
    /// Makes the union, intersection or difference of several sorted sets the value of a key, atomically.
    /// </summary>
    /// <param name="combination">Which of these.</param>
    /// <param name="keys">The keys of sorted sets, or of sets.</param>
    /// <param name="weights">By what the scores of each are multiplied; empty: by 1.</param>
    /// <param name="aggregate">The score of a member that several have.</param>
    /// <param name="destination">
    /// The key that is overwritten, whatever it has, and never expires; perhaps one of the others. A combination
    /// without members removes it.
    /// </param>
    /// <param name="count">The number of members.</param>
    public WriteStatus StoreSortedSets<TKeys>(
        SetCombination combination, ref TKeys keys, ReadOnlySpan<double> weights, ScoreAggregate aggregate,
        ReadOnlySpan<byte> destination, out long count)
        where TKeys : struct, IKeySource, allows ref struct
    {
        ThrowIfDisposed();
        ThrowIfWeightsDiffer(keys.Count, weights);
        using var combiner = new SortedSetCombiner(_state, combination, aggregate, CombinedBytesMax);
        var body = new StoreSortedSetsBody<TKeys>(keys, weights, combination, destination, combiner);
        RunAtomically(ref body);
        keys = body.Keys;
        count = body.Status == WriteStatus.Done ? combiner.Count : 0;
        return Counted(body.Status);
    }

    /// <summary>Makes the members of a range of one sorted set the value of a key, atomically.</summary>
    /// <param name="source">The key of the sorted set.</param>
    /// <param name="range">The range.</param>
    /// <param name="destination">
    /// The key that is overwritten, whatever it has, and never expires; perhaps the same. A range without members
    /// removes it.
    /// </param>
    /// <param name="count">The number of members.</param>
    public WriteStatus StoreRange(
        ReadOnlySpan<byte> source, in SortedSetRange range, ReadOnlySpan<byte> destination, out long count)
    {
        ThrowIfDisposed();
        using var members = new RangeMembers(
            CombinedBytesMax, _state.EncodingLimits, isCounted: range.Order == SortedSetOrder.Rank);
        using var replacer = new SortedSetReplacer(_state);
        var body = new StoreRangeBody(source, range, destination, members, replacer);
        RunAtomically(ref body);
        count = body.Status == WriteStatus.Done ? members.Count : 0;
        return Counted(body.Status);
    }

    private static void ThrowIfWeightsDiffer(int keys, ReadOnlySpan<double> weights)
    {
        if (!weights.IsEmpty && weights.Length != keys)
            throw new ArgumentException("There is a weight for each key, or none.", nameof(weights));
    }

    // From the smallest to the largest, as Redis adds scores up; of a difference, in the order given.
    private WriteStatus Combine<TKeys>(
        ref TKeys keys, ReadOnlySpan<double> weights, SetCombination combination, SortedSetCombiner combiner)
        where TKeys : struct, IKeySource, allows ref struct
    {
        combiner.Clear();
        var order = ArrayPool<long>.Shared.Rent(keys.Count);
        try
        {
            for (int i = 0; i < keys.Count; i++)
            {
                TryPeekCollection(keys.GetKey(i), out var info);
                order[i] = (combination == SetCombination.Difference ? 0 : info.Count << 32) | (uint)i;
            }

            order.AsSpan(0, keys.Count).Sort();
            for (int i = 0; i < keys.Count; i++)
            {
                int index = (int)(uint)order[i];
                var status = combiner.Take(KeyOf(keys.GetKey(index)), weights.IsEmpty ? 1 : weights[index]);
                if (status != WriteStatus.Done)
                    return status;
            }
        }
        finally // The caller's keys may throw.
        {
            ArrayPool<long>.Shared.Return(order);
        }

        combiner.End();
        return WriteStatus.Done;
    }

    private ref struct CombineSortedSetsBody<TKeys>(
        TKeys keys, ReadOnlySpan<double> weights, SetCombination combination, SortedSetCombiner combiner)
        : ITransactionBody
        where TKeys : struct, IKeySource, allows ref struct
    {
        private readonly ReadOnlySpan<double> _weights = weights;

        public TKeys Keys = keys;

        public WriteStatus Status { get; private set; }

        public readonly int KeyCount => Keys.Count;

        public readonly int WriteCount => 0;

        public readonly long WrittenBytes => 0;

        public ReadOnlySpan<byte> GetKey(int index) => Keys.GetKey(index);

        public readonly bool ReadsUnlocked => true;

        public readonly bool IsOver => true;

        public void Read(CacheStore store) => Status = store.Combine(ref Keys, _weights, combination, combiner);

        public readonly void Write(CacheStore store)
        {
        }
    }

    private ref struct StoreSortedSetsBody<TKeys>(
        TKeys keys, ReadOnlySpan<double> weights, SetCombination combination, ReadOnlySpan<byte> destination,
        SortedSetCombiner combiner) : ITransactionBody
        where TKeys : struct, IKeySource, allows ref struct
    {
        private readonly ReadOnlySpan<double> _weights = weights;
        private readonly ReadOnlySpan<byte> _destination = destination;

        public TKeys Keys = keys;

        public WriteStatus Status { get; private set; }

        public readonly int KeyCount => Keys.Count + 1;

        public readonly int WriteCount => 1;

        public readonly long WrittenBytes => CollectionBytesMax + combiner.ToldBytes + _destination.Length;

        public ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _destination : Keys.GetKey(index - 1);

        public readonly bool ReadsUnlocked => true;

        public readonly bool IsOver => Status != WriteStatus.Done;

        public void Read(CacheStore store)
        {
            Status = store.Combine(ref Keys, _weights, combination, combiner);
            if (Status == WriteStatus.Done)
                Status = combiner.Prepare(store.KeyOf(_destination));
        }

        public void Write(CacheStore store)
        {
            if (combiner.Count == 0)
                store.Remove(_destination);
            else
                Status = combiner.Store(store.KeyOf(_destination));
        }
    }

    private ref struct StoreRangeBody(
        ReadOnlySpan<byte> source, SortedSetRange range, ReadOnlySpan<byte> destination, RangeMembers members,
        SortedSetReplacer replacer) : ITransactionBody
    {
        private readonly ReadOnlySpan<byte> _source = source;
        private readonly SortedSetRange _range = range;
        private readonly ReadOnlySpan<byte> _destination = destination;

        public WriteStatus Status { get; private set; }

        public readonly int KeyCount => 2;

        public readonly int WriteCount => 1;

        public readonly long WrittenBytes => CollectionBytesMax + replacer.ToldBytes + _destination.Length;

        public readonly ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _source : _destination;

        public readonly bool ReadsUnlocked => true;

        public readonly bool IsOver => Status != WriteStatus.Done;

        public void Read(CacheStore store)
        {
            members.Clear();
            var sink = new RangeMembers.Sink(members);
            bool isOther = store.SortedSet(_source).GetRange(_range, ref sink) == ReadStatus.WrongType;
            Status = isOther ? WriteStatus.WrongType : WriteStatus.Done;
            if (members.IsTooLong)
                Status = WriteStatus.CollectionTooLong;
            var scores = new RangeMembers.Source(members);
            if (Status == WriteStatus.Done)
                Status = replacer.Prepare(store.KeyOf(_destination), ref scores);
        }

        public void Write(CacheStore store)
        {
            var scores = new RangeMembers.Source(members);
            if (scores.Count == 0)
                store.Remove(_destination);
            else
                Status = replacer.Store(store.KeyOf(_destination), ref scores);
        }
    }
}
