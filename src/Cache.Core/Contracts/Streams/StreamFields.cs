namespace Cache.Core;

/// <summary>The fields of an entry of a stream, with their values, in the order in which they were given.</summary>
public ref struct StreamFields
{
    private ReadOnlySpan<byte> _shape;
    private ReadOnlySpan<byte> _values;

    internal StreamFields(ReadOnlySpan<byte> shape, ReadOnlySpan<byte> values)
    {
        _shape = shape;
        _values = values;
        if (Varint.TryRead(ref _shape, out ulong count))
            Count = (int)Math.Min(count, int.MaxValue);
    }

    /// <summary>How many there are.</summary>
    public int Count { get; }

    /// <summary>The bytes of the names and values that were not read yet, with their lengths.</summary>
    public readonly long Bytes => (long)_shape.Length + _values.Length;

    /// <summary>Whether the entry is not there any more.</summary>
    public readonly bool IsRemoved => Count == 0;

    /// <summary>The present field's name.</summary>
    public ReadOnlySpan<byte> Field { get; private set; }

    /// <summary>The present field's value.</summary>
    public ReadOnlySpan<byte> Value { get; private set; }

    /// <summary>Goes to the next field; at first, to the first one.</summary>
    /// <returns>False behind the last one.</returns>
    public bool MoveNext()
    {
        if (!Varint.TryReadBytes(ref _shape, out var field) || !Varint.TryReadBytes(ref _values, out var value))
            return false;
        Field = field;
        Value = value;
        return true;
    }
}
