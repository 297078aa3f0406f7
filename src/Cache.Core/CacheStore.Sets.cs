using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Sets;

namespace Cache.Core;

/// <summary>Operations on several sets.</summary>
public sealed partial class CacheStore
{
    /// <summary>The set of a key: distinct members. Nothing is read or made yet.</summary>
    /// <param name="key">The key; its bytes are used while the result is.</param>
    public SetKey SetOf(ReadOnlySpan<byte> key)
    {
        ThrowIfDisposed();
        return new SetKey(this, KeyOf(key));
    }

    /// <summary>Copies the union, intersection or difference of several sets into the sink, as of one moment.</summary>
    /// <param name="combination">Which of these.</param>
    /// <param name="keys">The keys; an absent one is a set without members.</param>
    /// <param name="sink">Receives the members, if the status is Done.</param>
    /// <returns>
    /// Done; WrongType if one of the keys is of another kind; CollectionTooLong if the
    /// members have more than an eighth of the store's limit.
    /// </returns>
    public WriteStatus CombineSets<TKeys, TSink>(SetCombination combination, ref TKeys keys, ref TSink sink)
        where TKeys : struct, IKeySource, allows ref struct
        where TSink : struct, IMemberSink, allows ref struct
    {
        ThrowIfDisposed();
        using var combiner = new SetCombiner(_state, combination, CombinedBytesMax);
        var body = new CombineSetsBody<TKeys>(keys, combination, combiner);
        RunAtomically(ref body);
        keys = body.Keys;
        if (body.Status == WriteStatus.Done)
            combiner.CopyTo(ref sink);
        return body.Status;
    }

    /// <summary>Makes the union, intersection or difference of several sets the value of a key, atomically.</summary>
    /// <param name="combination">Which of these.</param>
    /// <param name="keys">The keys; an absent one is a set without members.</param>
    /// <param name="destination">
    /// The key that is overwritten, whatever it has, and never expires; perhaps one of the others. A combination
    /// without members removes it.
    /// </param>
    /// <param name="count">The number of members.</param>
    public WriteStatus StoreSets<TKeys>(
        SetCombination combination, ref TKeys keys, ReadOnlySpan<byte> destination, out long count)
        where TKeys : struct, IKeySource, allows ref struct
    {
        ThrowIfDisposed();
        using var combiner = new SetCombiner(_state, combination, CombinedBytesMax);
        var body = new StoreSetsBody<TKeys>(keys, combination, destination, combiner);
        RunAtomically(ref body);
        keys = body.Keys;
        count = body.Status == WriteStatus.Done ? combiner.Count : 0;
        return Counted(body.Status);
    }

    /// <summary>Moves a member from one set to another, atomically.</summary>
    /// <returns>NotFound if it is not in the first one; WrongType if one of the keys is no set.</returns>
    public WriteStatus MoveMember(
        ReadOnlySpan<byte> source, ReadOnlySpan<byte> destination, ReadOnlySpan<byte> member)
    {
        ThrowIfDisposed();
        var body = new MoveMemberBody(source, destination, member);
        RunAtomically(ref body);
        return body.Status; // Its parts have counted refused writes.
    }

    // Of large sets: an intersection has no more members. An absent one has none.
    private int IndexOfSmallest<TKeys>(ref TKeys keys)
        where TKeys : struct, IKeySource, allows ref struct
    {
        int smallest = 0;
        for (int i = 0, least = int.MaxValue; i < keys.Count; i++)
        {
            TryPeekCollection(keys.GetKey(i), out var info);
            int count = (int)Math.Min(info.Count, int.MaxValue - 1);
            if (i == 0 && count <= PackedTable.CountMax)
                return 0;
            if (count < least)
                (smallest, least) = (i, count);
        }

        return smallest;
    }

    private WriteStatus Combine<TKeys>(ref TKeys keys, SetCombination combination, SetCombiner combiner)
        where TKeys : struct, IKeySource, allows ref struct
    {
        combiner.Clear();
        int first = combination == SetCombination.Intersection ? IndexOfSmallest(ref keys) : 0;
        for (int i = 0; i < keys.Count; i++)
        {
            int index = i == 0 ? first : i == first ? 0 : i; // The first one and it are exchanged.
            var status = combiner.Take(KeyOf(keys.GetKey(index)));
            if (status != WriteStatus.Done)
                return status;
        }

        combiner.End();
        return WriteStatus.Done;
    }

    private WriteStatus MoveMemberLocked(
        ReadOnlySpan<byte> source, ReadOnlySpan<byte> destination, ReadOnlySpan<byte> member)
    {
        if (!TryPeekInfo(source, out var info))
            return WriteStatus.NotFound;
        if (info.Kind != EntryKind.Set || (TryPeekInfo(destination, out info) && info.Kind != EntryKind.Set))
            return WriteStatus.WrongType;
        if (!SetOf(source).Contains(member))
            return WriteStatus.NotFound;
        if (source.SequenceEqual(destination))
            return WriteStatus.Done;
        var status = SetOf(destination).Add(member); // May be refused; a removal needs no room.
        return status is WriteStatus.Done or WriteStatus.ConditionNotMet ? SetOf(source).Remove(member) : status;
    }

    private ref struct CombineSetsBody<TKeys>(TKeys keys, SetCombination combination, SetCombiner combiner)
        : ITransactionBody
        where TKeys : struct, IKeySource, allows ref struct
    {
        public TKeys Keys = keys;

        public WriteStatus Status { get; private set; }

        public readonly int KeyCount => Keys.Count;

        public readonly int WriteCount => 0;

        public readonly long WrittenBytes => 0;

        public ReadOnlySpan<byte> GetKey(int index) => Keys.GetKey(index);

        public readonly bool ReadsUnlocked => true;

        public readonly bool IsOver => true;

        public void Read(CacheStore store) => Status = store.Combine(ref Keys, combination, combiner);

        public readonly void Write(CacheStore store)
        {
        }
    }

    private ref struct StoreSetsBody<TKeys>(
        TKeys keys, SetCombination combination, ReadOnlySpan<byte> destination, SetCombiner combiner)
        : ITransactionBody
        where TKeys : struct, IKeySource, allows ref struct
    {
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
            Status = store.Combine(ref Keys, combination, combiner);
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

    private ref struct MoveMemberBody(
        ReadOnlySpan<byte> source, ReadOnlySpan<byte> destination, ReadOnlySpan<byte> member) : ITransactionBody
    {
        private readonly ReadOnlySpan<byte> _source = source;
        private readonly ReadOnlySpan<byte> _destination = destination;
        private readonly ReadOnlySpan<byte> _member = member;

        public WriteStatus Status { get; private set; }

        public readonly int KeyCount => 2;

        public readonly int WriteCount => 2;

        // As a member and as an element.
        public readonly long WrittenBytes =>
            _destination.Length + 2 * (_member.Length + ElementReader.HeaderSize + ElementReader.PrefixSize);

        public readonly ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _source : _destination;

        public readonly bool ReadsUnlocked => false;

        public readonly bool IsOver => false;

        public readonly void Read(CacheStore store)
        {
        }

        public void Write(CacheStore store) => Status = store.MoveMemberLocked(_source, _destination, _member);
    }
}
