using System.Buffers.Binary;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>
/// A whole stream as it is stored in a file: its elements, without those that follow from others, and without names of
/// fields that are those of the entry before: else it could be many times as long as its pages.
/// </summary>
internal static class StoredStream
{
    /// <summary>The bytes that it takes.</summary>
    public static long LengthOf(in ObjectView view)
    {
        var none = new ElementTarget(default);
        Visit(view, ref none);
        return ElementReader.PrefixSize + none.Length;
    }

    /// <summary>Writes it into exactly its bytes.</summary>
    public static void Write(in ObjectView view, Span<byte> stored)
    {
        stored[..ElementReader.PrefixSize].Clear();
        var target = new ElementTarget(stored[ElementReader.PrefixSize..]);
        Visit(view, ref target);
    }

    private static void Visit(in ObjectView view, scoped ref ElementTarget target)
    {
        Span<byte> name = stackalloc byte[TreeEntry.LengthMax];
        var stream = new StreamView(view);
        var cursor = stream.Elements.At(0);
        for (uint i = 0; i < view.Count && cursor.IsValid; i++, cursor.MoveNext())
        {
            byte tag = StreamElement.TagOf(cursor.Key);
            if (tag >= StreamElement.PendingOfConsumer)
                break; // The last ones.
            bool hasGroup = tag is StreamElement.Consumer or StreamElement.Pending;
            int prefix = hasGroup ? StreamElement.GroupPrefixSize : 1;
            name[0] = tag;
            if (hasGroup)
                BinaryPrimitives.WriteUInt32BigEndian(name[1..], (uint)cursor.Key);
            var entry = cursor.Entry;
            entry.Name.CopyTo(name[prefix..]);
            target.Add(name[..(prefix + entry.Name.Length)], entry.Value);
        }

        var block = stream.Blocks.At(0);
        int shapeLength = 0;
        for (uint i = 0; i < view.SecondCount && block.IsValid; i++, block.MoveNext())
            VisitBlock(view, block, name, ref shapeLength, ref target);
    }

    // shape: The names of the last entry's fields; of a long one none, since they may be long too.
    private static void VisitBlock(
        in ObjectView view, in TreeCursor<ByNumber> block, scoped Span<byte> shape, ref int shapeLength,
        scoped ref ElementTarget target)
    {
        Span<byte> name = stackalloc byte[StreamElement.EntryNameSize];
        Span<byte> value = stackalloc byte[TreeEntry.LengthMax];
        var first = StreamView.FirstIdOf(block);
        var entry = block.Entry;
        if (entry.IsValueStub)
        {
            StreamElement.NameEntry(name, first);
            shapeLength = 0;
            if (target.IsCounting)
            {
                target.Count(name.Length, entry.ValueLength);
                return;
            }

            using var loan = view.Borrow(entry);
            target.Add(name, loan.Value);
            return;
        }

        for (var reader = new StreamBlockReader(first, entry.Value); reader.TryRead();)
        {
            StreamElement.NameEntry(name, reader.Id);
            bool isSame = reader.Shape.SequenceEqual(shape[..shapeLength]);
            reader.Shape.CopyTo(shape);
            shapeLength = reader.Shape.Length;
            int length = Varint.WriteBytes(value, isSame ? default : reader.Shape);
            reader.Values.CopyTo(value[length..]);
            target.Add(name, value[..(length + reader.Values.Length)]);
        }
    }

    // Counts the bytes, and writes them if it has room.
    private ref struct ElementTarget(Span<byte> room)
    {
        private readonly Span<byte> _room = room;

        public readonly bool IsCounting => _room.IsEmpty;

        public long Length { get; private set; }

        public void Count(int nameLength, int valueLength) =>
            Length += (long)ElementReader.HeaderSize + nameLength + valueLength;

        public void Add(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
        {
            if (!IsCounting)
                ElementChanges.Write(_room[(int)Length..], ElementAction.Put, name, value);
            Count(name.Length, value.Length);
        }
    }
}
