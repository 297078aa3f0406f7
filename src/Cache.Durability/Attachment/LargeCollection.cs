using Cache.Core;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Durability.Attachment;

/// <summary>Makes the form that a large collection has in a file, from its elements.</summary>
/// <remarks>One thread at a time.</remarks>
internal sealed class LargeCollection
{
    /// <summary>The number of the write, of a list that nobody has written yet.</summary>
    public const ulong FirstChange = 1;

    private byte[] _bytes = [];
    private ulong _change;

    /// <summary>The bytes, from the start of the array on.</summary>
    public byte[] Bytes => _bytes;

    public int Length { get; private set; }

    /// <summary>Forgets its memory.</summary>
    public void Trim() => (_bytes, Length) = ([], 0);

    /// <summary>Makes one of a kind from all of its names, with their values.</summary>
    /// <param name="type">The kind, as files number it.</param>
    /// <param name="count">The number of names.</param>
    /// <param name="elements">The names and values.</param>
    /// <param name="change">Of a list: the number of the write.</param>
    public PackedCollection.Step Make<TElements>(
        byte type, int count, TElements elements, ulong change = FirstChange)
        where TElements : struct, IPackedElements
    {
        var kind = StoredType.KindOf(type);
        _change = change;
        if (!TryMeasure(kind, count, elements, out int length))
            return PackedCollection.Step.TooLong;
        if (kind != EntryKind.List && IsAnyTwice(count, elements))
            return PackedCollection.Step.Twice;
        if (_bytes.Length < length)
            _bytes = new byte[length];
        Length = length;
        Span<byte> head = stackalloc byte[ListChange.FirstNameSize];
        var rest = _bytes.AsSpan(0, length);
        rest[..ElementReader.PrefixSize].Clear();
        rest = rest[ElementReader.PrefixSize..];
        for (int i = 0; i < count; i++)
        {
            var name = NameAt(kind, elements, i, head);
            rest = rest[ElementChanges.Write(rest, ElementAction.Put, name, ValueAt(kind, elements, i, head))..];
        }

        return PackedCollection.Step.Done;
    }

    private bool TryMeasure<TElements>(EntryKind kind, int count, TElements elements, out int length)
        where TElements : struct, IPackedElements
    {
        long bytes = ElementReader.PrefixSize;
        Span<byte> head = stackalloc byte[ListChange.FirstNameSize];
        length = 0;
        for (int i = 0; i < count; i++)
        {
            int nameLength = NameAt(kind, elements, i, head).Length;
            int valueLength = ValueAt(kind, elements, i, head).Length;
            bytes += ElementReader.HeaderSize + (long)nameLength + valueLength;
            if (bytes > Array.MaxLength)
                return false;
        }

        length = (int)bytes;
        return true;
    }

    private static bool IsAnyTwice<TElements>(int count, TElements elements)
        where TElements : struct, IPackedElements
    {
        var names = new HashSet<int>(new NameComparer<TElements>(elements));
        for (int i = 0; i < count; i++)
        {
            if (!names.Add(i))
                return true;
        }

        return false;
    }

    // An element of a list has no name, but that of the first change.
    private ReadOnlySpan<byte> NameAt<TElements>(EntryKind kind, TElements elements, int index, Span<byte> head)
        where TElements : struct, IPackedElements =>
        kind == EntryKind.List
            ? head[..ListChange.Name(head, isFirst: index == 0, ListChange.AtEnd, _change)]
            : elements.NameAt(index);

    private static ReadOnlySpan<byte> ValueAt<TElements>(
        EntryKind kind, TElements elements, int index, Span<byte> head)
        where TElements : struct, IPackedElements =>
        kind switch
        {
            EntryKind.List => elements.NameAt(index),
            EntryKind.Hash => elements.ValueAt(index),
            EntryKind.SortedSet => head[..PackedScore.Write(elements.ScoreAt(index), head)],
            _ => default,
        };

    private sealed class NameComparer<TElements>(TElements elements) : IEqualityComparer<int>
        where TElements : struct, IPackedElements
    {
        public bool Equals(int one, int other) => elements.NameAt(one).SequenceEqual(elements.NameAt(other));

        public int GetHashCode(int index)
        {
            var hash = default(HashCode);
            hash.AddBytes(elements.NameAt(index));
            return hash.ToHashCode();
        }
    }
}
