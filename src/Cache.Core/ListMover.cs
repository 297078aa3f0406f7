using Cache.Core.Collections;
using Cache.Core.Collections.Packed;

namespace Cache.Core;

/// <summary>Moves an element between the lists of two keys, which others see as one change.</summary>
internal static class ListMover
{
    // Elements of other lengths may come to the end of the list.
    private const int AttemptsMax = 8;

    /// <remarks>taken: Gets the element.</remarks>
    public static WriteStatus Move(
        CacheStore store, ReadOnlySpan<byte> source, ListEnd from, ReadOnlySpan<byte> destination, ListEnd to,
        TakenMembers taken)
    {
        int length = 0;
        for (int attempts = 0; attempts < AttemptsMax; attempts++)
        {
            var move = new Transaction(source, from, destination, to, taken, length, store);
            if (store.IsTransaction)
                move.Run(store);
            else
                store.Transact(ref move);
            if (!move.NeedsRoom)
                return move.Status;
            length = move.ElementLength;
        }

        return WriteStatus.OutOfMemory;
    }

    private ref struct Transaction(
        ReadOnlySpan<byte> source, ListEnd from, ReadOnlySpan<byte> destination, ListEnd to, TakenMembers taken,
        int elementLengthMax, CacheStore caller) : ITransaction
    {
        private readonly ReadOnlySpan<byte> _source = source;
        private readonly ReadOnlySpan<byte> _destination = destination;

        public readonly int KeyCount => 2;

        // The element is added, and taken away; or not, and the first change undone.
        public readonly int WriteCount => 3;

        // Of both lists where they are small; else of the element.
        public readonly long WrittenBytes =>
            2L * (_source.Length + _destination.Length) + 2 * PackedTable.LengthMax + elementLengthMax;

        public WriteStatus Status { get; private set; }

        /// <summary>Whether nothing was done: the journal's room is for a shorter element.</summary>
        public bool NeedsRoom { get; private set; }

        public int ElementLength { get; private set; }

        public readonly ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _source : _destination;

        public readonly int GetKeyspace(int index) => caller.Keyspace;

        public void Run(CacheStore store)
        {
            Status = store.List(_source).Peek(from, taken);
            int position = 0;
            if (Status != WriteStatus.Done || !taken.TryMoveNext(ref position, out var element, out _))
                return;
            ElementLength = element.Length;
            NeedsRoom = !caller.IsTransaction
                && element.Length > Math.Max(elementLengthMax, PackedTable.LengthMax);
            if (NeedsRoom)
                return;
            Status = store.List(_destination).Push(to, element);
            if (Status != WriteStatus.Done)
                return;
            Status = store.List(_source).RemoveEnd(from);
            if (Status != WriteStatus.Done)
                store.List(_destination).RemoveEnd(to);
        }
    }
}
