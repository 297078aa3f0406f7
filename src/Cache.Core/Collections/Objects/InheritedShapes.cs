using System.Diagnostics;

namespace Cache.Core.Collections.Objects;

/// <summary>Gives entries of a stored stream the names that they have in common with the one before.</summary>
internal ref struct InheritedShapes
{
    private ReadOnlySpan<byte> _shape;
    private byte[]? _room;

    /// <summary>The next element of a whole stream, with all that it has; valid until the next call.</summary>
    public ReadOnlySpan<byte> Complete(scoped in ElementReader element, ReadOnlySpan<byte> bytes)
    {
        if (element.Name[0] != StreamElement.Entry)
            return bytes;
        bool isSplit = StreamElement.TrySplit(bytes[^element.Value.Length..], out var shape, out var values);
        Debug.Assert(isSplit, "It was checked when it was read.");
        if (!shape.IsEmpty)
        {
            _shape = StreamElement.InheritedOf(shape);
            return bytes;
        }

        int valueLength = checked((int)(Varint.SizeOfBytes(_shape.Length) + values.Length));
        int size = ElementReader.SizeOf(element.Name.Length, valueLength);
        if (_room is null || _room.Length < size)
            _room = new byte[2 * size];
        ElementChanges.WriteHead(_room, element.Action, element.Name, valueLength);
        var value = _room.AsSpan(size - valueLength, valueLength);
        values.CopyTo(value[Varint.WriteBytes(value, _shape)..]);
        return _room.AsSpan(0, size);
    }
}
