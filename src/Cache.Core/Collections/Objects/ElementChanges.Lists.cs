using System.Buffers.Binary;
using System.Diagnostics;

namespace Cache.Core.Collections.Objects;

/// <content>What a write makes of a list: positions instead of names.</content>
internal sealed partial class ElementChanges
{
    // Where the number of a list's write is.
    private const int NumberAt = ElementReader.PrefixSize + ElementReader.HeaderSize + ListChange.PositionSize;
    private const int FirstEnd = NumberAt + sizeof(ulong);

    private ulong _number;
    private bool _isOfList;

    /// <summary>Begins the changes of a list.</summary>
    /// <param name="number">That of the write, see <see cref="Layout.ListMarks"/>.</param>
    public void BeginList(ulong number)
    {
        Debug.Assert(Count == 0);
        (_isOfList, _number) = (true, number);
    }

    /// <summary>Plans an element that is added before the one at a position, or at the right end.</summary>
    /// <remarks>A long one is that for which a block was made, as of <see cref="Put"/>.</remarks>
    public void Insert(long position, ReadOnlySpan<byte> element) =>
        AddElement(ElementAction.Put, position, element);

    /// <summary>Plans an element in the place of another one.</summary>
    public void Replace(long position, ReadOnlySpan<byte> element) =>
        AddElement(ElementAction.Replace, position, element);

    /// <summary>Plans that some elements go.</summary>
    /// <remarks>Not more than a step's, or all that there are.</remarks>
    public void DropFrom(long position, long count)
    {
        Span<byte> value = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(value, (int)Math.Min(count, int.MaxValue));
        AddChange(ElementAction.Drop, position, value);
        DropCount += count;
        _dropChanges++;
    }

    /// <summary>Plans that an element goes to another position.</summary>
    public void Move(long position, long target)
    {
        Span<byte> value = stackalloc byte[ListChange.PositionSize];
        BinaryPrimitives.WriteInt64LittleEndian(value, target);
        AddChange(ElementAction.Move, position, value);
    }

    private void AddElement(ElementAction action, long position, ReadOnlySpan<byte> element)
    {
        Span<byte> room = stackalloc byte[ListChange.FirstNameSize];
        var name = NameOf(position, room);
        if (ElementSizes.Fits(name.Length, element.Length))
            Add((int)action, name, element);
        else if (TryPutLong(action, name, element, out var stub))
            Debug.Assert(stub.Value.SequenceEqual(element), "An edit puts what it has prepared.");
    }

    private void AddChange(ElementAction action, long position, ReadOnlySpan<byte> value)
    {
        Span<byte> room = stackalloc byte[ListChange.FirstNameSize];
        Add((int)action, NameOf(position, room), value);
    }

    private ReadOnlySpan<byte> NameOf(long position, Span<byte> room)
    {
        Debug.Assert(_isOfList, "A write of a list has a number.");
        return room[..ListChange.Name(room, isFirst: Count == 0, position, _number)];
    }

    // Where others write too, each plan has another number, and often another place for the first element.
    private bool IsImaged(ReadOnlySpan<byte> imaged) => _isOfStream
        ? imaged.Length == _length
        : _isOfList
        ? imaged.Length == _length && imaged[FirstEnd..].SequenceEqual(StoredBytes[FirstEnd..])
        : imaged.SequenceEqual(StoredBytes);

    // All but the long values, which are what was prepared: others may have appended since, so ids are others.
    private void CompleteStreamImage()
    {
        var to = _image.Value;
        int at = ElementReader.PrefixSize;
        for (var each = new ElementReader(Bytes); each.TryRead();)
        {
            if (each.IsStub)
            {
                each.Name.CopyTo(to[(at + ElementReader.HeaderSize)..]);
                at += ElementReader.SizeOf(each.Name.Length, Layout.ElementStub.LengthOf(each.Value));
            }
            else
            {
                at += Write(to[at..], each.Action, each.Name, each.Value);
            }
        }
    }

    // Into the block that a journal gets: it was made before the list was held. No other thread knows it yet.
    private void CompleteImage()
    {
        if (_isOfStream && HasLong && Count > 1)
            CompleteStreamImage();
        const int NameAt = ElementReader.PrefixSize + ElementReader.HeaderSize;
        if (!_isOfList || !HasLong)
            return;
        var image = Image.Value;
        image[ElementReader.PrefixSize] = (byte)(_bytes[ElementReader.PrefixSize] & ~ElementReader.StubFlag);
        _bytes.AsSpan(NameAt, ListChange.FirstNameSize).CopyTo(image[NameAt..]);
    }
}
