namespace Cache.Core;

/// <summary>What is chosen of one sorted set, and stored.</summary>
public sealed partial class CacheStore
{
    /// <summary>Makes what a selection chooses of a sorted set the value of a key, atomically.</summary>
    /// <param name="source">The key of the sorted set; absent: it has no members.</param>
    /// <param name="selection">
    /// Chooses; it is called when no lock is held, as long as others leave the keys alone.
    /// </param>
    /// <param name="destination">
    /// The key that is overwritten, whatever it has, and never expires; perhaps the same. A selection without members
    /// removes it.
    /// </param>
    /// <returns>ConditionNotMet if the selection says that nothing is to be written.</returns>
    public WriteStatus StoreSelection<TSelection>(
        ReadOnlySpan<byte> source, ref TSelection selection, ReadOnlySpan<byte> destination)
        where TSelection : struct, ISortedSetSelection, allows ref struct
    {
        ThrowIfDisposed();
        var body = new StoreSelectionBody<TSelection>(source, selection, destination);
        RunAtomically(ref body);
        selection = body.Selection;
        return body.Status; // Its parts have counted a refused write.
    }

    private ref struct StoreSelectionBody<TSelection>(
        ReadOnlySpan<byte> source, TSelection selection, ReadOnlySpan<byte> destination) : ITransactionBody
        where TSelection : struct, ISortedSetSelection, allows ref struct
    {
        private readonly ReadOnlySpan<byte> _source = source;
        private readonly ReadOnlySpan<byte> _destination = destination;

        public TSelection Selection = selection;

        public WriteStatus Status { get; private set; }

        public readonly int KeyCount => 2;

        public readonly int WriteCount => 1;

        public readonly long WrittenBytes => CollectionBytesMax + _destination.Length;

        public readonly ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _source : _destination;

        public readonly bool ReadsUnlocked => true;

        public readonly bool IsOver => Status != WriteStatus.Done;

        public void Read(CacheStore store)
        {
            using var set = store.SortedSet(_source).TakeSnapshot(out var found);
            if (found == ReadStatus.WrongType)
                Status = WriteStatus.WrongType;
            else
                Status = Selection.TrySelect(set) ? WriteStatus.Done : WriteStatus.ConditionNotMet;
        }

        public void Write(CacheStore store) => Status = store.SortedSet(_destination).Replace(ref Selection);
    }
}
