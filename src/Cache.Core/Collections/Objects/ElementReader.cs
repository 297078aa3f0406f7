using System.Buffers.Binary;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Reads elements and what becomes of them, one after the other.</summary>
/// <remarks>
/// <code>
///  action 1 │ name length 4 │ value length 4 │ name │ value
/// </code>
/// So a journal has what a write did to a large collection; and a file has the whole of one, behind two bytes of 0,
/// with which no small collection begins (its count). Bytes of a file are checked by <see cref="IsWhole"/>. In memory
/// the action may have flags: value or name is the stub of a long one.
/// </remarks>
internal ref struct ElementReader(ReadOnlySpan<byte> bytes)
{
    public const int HeaderSize = 1 + 2 * sizeof(uint);

    /// <summary>The bytes before the elements of a whole collection.</summary>
    public const int PrefixSize = sizeof(ushort);

    // In memory alone: the value is a stub.
    internal const int StubFlag = 0x80;

    // The same of the name.
    internal const int NameStubFlag = 0x40;

    private const int ActionMask = NameStubFlag - 1;

    private ReadOnlySpan<byte> _rest = bytes;

    public ElementAction Action { get; private set; }

    public ReadOnlySpan<byte> Name { get; private set; }

    public ReadOnlySpan<byte> Value { get; private set; }

    /// <summary>When the field expires: the value, if that is what is told.</summary>
    public readonly long Moment =>
        Action == ElementAction.Expire ? BinaryPrimitives.ReadInt64LittleEndian(Value) : 0;

    /// <summary>All bytes of the element.</summary>
    public ReadOnlySpan<byte> Element { get; private set; }

    /// <summary>Whether the value is the stub of a long one.</summary>
    public bool IsStub { get; private set; }

    /// <summary>Whether the name is the stub of a long one (<see cref="NameStub"/>).</summary>
    public bool IsNameStub { get; private set; }

    /// <summary>The name, also of a stub, whose block the caller has.</summary>
    public readonly ReadOnlySpan<byte> FullName =>
        IsNameStub ? LongName.NameOf(ElementStub.Read(ElementStub.EndOf(Name)).Block) : Name;

    /// <summary>The bytes of an element.</summary>
    public static int SizeOf(int nameLength, int valueLength) => checked(HeaderSize + nameLength + valueLength);

    /// <summary>Whether stored bytes are those of a large collection, rather than a packed one.</summary>
    public static bool IsStored(ReadOnlySpan<byte> stored) =>
        stored.Length > PrefixSize && BinaryPrimitives.ReadUInt16LittleEndian(stored) == 0;

    /// <summary>The elements of a stored collection.</summary>
    public static ElementReader OfStored(ReadOnlySpan<byte> stored) => new(stored[PrefixSize..]);

    /// <summary>Whether all bytes are such elements of a kind, at least one; of a list, any.</summary>
    /// <remarks>isCollection: Whether they are a whole collection, of which nothing is dropped.</remarks>
    public static bool IsWhole(EntryKind kind, ReadOnlySpan<byte> bytes, bool isCollection)
    {
        var reader = new ElementReader(bytes);
        var shape = default(ReadOnlySpan<byte>); // Of a stream.
        bool isAny = false;
        while (reader.TryRead())
        {
            isAny = true;
            if (reader.IsStub || reader.IsNameStub)
                return false;
            if (kind == EntryKind.List)
                continue;
            if (!MayBe(kind, reader, isCollection))
                return false;
            bool isWhole = kind == EntryKind.Stream && isCollection
                ? StreamElement.IsWhole(reader.Name, reader.Value, ref shape)
                : MayHave(kind, reader);
            if (!isWhole)
                return false;
        }

        return isAny && reader._rest.IsEmpty;
    }

    private static bool MayBe(EntryKind kind, in ElementReader element, bool isCollection) => element.Action switch
    {
        ElementAction.Put => true,
        ElementAction.Drop => !isCollection,
        ElementAction.Expire => kind == EntryKind.Hash && element.Value.Length == sizeof(long)
            && (element.Moment == 0 || FieldMoment.IsValid(element.Moment)),
        _ => false,
    };

    // What the values of a kind may be.
    private static bool MayHave(EntryKind kind, in ElementReader element) => kind switch
    {
        EntryKind.Hash => true,
        EntryKind.Set => element.Value.IsEmpty,
        EntryKind.Stream => StreamElement.IsWhole(
            element.Name, element.Value, isDropped: element.Action == ElementAction.Drop),
        EntryKind.SortedSet => element.Action == ElementAction.Drop
            ? element.Value.IsEmpty
            : PackedScore.IsWhole(element.Value, out _),
        _ => false,
    };

    /// <summary>Goes to the next element.</summary>
    /// <returns>False at the end, and where the rest is none.</returns>
    public bool TryRead()
    {
        if (_rest.Length < HeaderSize)
            return false;
        uint nameLength = BinaryPrimitives.ReadUInt32LittleEndian(_rest[1..]);
        uint valueLength = BinaryPrimitives.ReadUInt32LittleEndian(_rest[(1 + sizeof(uint))..]);
        if ((ulong)nameLength + valueLength > (ulong)(_rest.Length - HeaderSize))
            return false;
        Element = _rest[..(HeaderSize + (int)(nameLength + valueLength))];
        Action = (ElementAction)(_rest[0] & ActionMask);
        IsStub = (_rest[0] & StubFlag) != 0;
        IsNameStub = (_rest[0] & NameStubFlag) != 0;
        Name = _rest.Slice(HeaderSize, (int)nameLength);
        Value = _rest.Slice(HeaderSize + (int)nameLength, (int)valueLength);
        _rest = _rest[Element.Length..];
        return true;
    }
}
