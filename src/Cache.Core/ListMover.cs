using Cache.Core.Collections.Packed;

namespace Cache.Core;

/// <summary>Moves an element between the lists of two keys, which others see as one change.</summary>
internal static class ListMover
{
    /// <remarks>memory: Where the element is kept, <see cref="PackedTable.LengthMax"/> bytes.</remarks>
    public static WriteStatus Move<TSink>(
        CacheStore store, ReadOnlySpan<byte> source, ListEnd from, ReadOnlySpan<byte> destination, ListEnd to,
        Span<byte> memory, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        var move = new Transaction(source, from, destination, to, memory, store.Keyspace);
        if (store.IsTransaction)
            move.Run(store);
        else
            store.Transact(ref move);
        if (move.Status == WriteStatus.Done)
        {
            move.Element.CopyTo(sink.GetSpan(move.Element.Length));
            sink.Advance(move.Element.Length);
        }

        return move.Status;
    }

    private ref struct Transaction(
        ReadOnlySpan<byte> source, ListEnd from, ReadOnlySpan<byte> destination, ListEnd to, Span<byte> memory,
        int keyspace) : ITransaction
    {
        private readonly ReadOnlySpan<byte> _source = source;
        private readonly ReadOnlySpan<byte> _destination = destination;
        private readonly Span<byte> _memory = memory;
        private int _length;

        public readonly int KeyCount => 2;

        // The element is added, and taken away; or not, and the first change undone.
        public readonly int WriteCount => 3;

        // Of both lists.
        public readonly long WrittenBytes => _source.Length + _destination.Length + 2 * PackedTable.LengthMax;

        public WriteStatus Status { get; private set; }

        public readonly ReadOnlySpan<byte> Element => _memory[.._length];

        public readonly ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _source : _destination;

        public readonly int GetKeyspace(int index) => keyspace;

        public void Run(CacheStore store)
        {
            var element = new MemorySink(_memory);
            var read = store.List(_source).Get(from == ListEnd.Left ? 0 : -1, ref element);
            _length = element.Length;
            if (read != ReadStatus.Found)
            {
                Status = read == ReadStatus.NotFound ? WriteStatus.NotFound : WriteStatus.WrongType;
                return;
            }

            Status = store.List(_destination).Push(to, Element);
            if (Status != WriteStatus.Done)
                return;
            var taken = new MemorySink(_memory);
            Status = store.List(_source).Pop(from, ref taken);
            if (Status != WriteStatus.Done)
                store.List(_destination).Pop(to, ref taken);
        }
    }

    private ref struct MemorySink(Span<byte> memory) : IValueSink
    {
        private readonly Span<byte> _memory = memory;

        public int Length { get; private set; }

        public readonly Span<byte> GetSpan(int length) => _memory[..length];

        public void Advance(int length) => Length = length;
    }
}
