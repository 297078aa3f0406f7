namespace Cache.Durability.Rdb;

/// <summary>Reads one value without its key, as DUMP tells it, from untrusted bytes.</summary>
/// <remarks>One thread at a time; it keeps its memory for the next value.</remarks>
internal sealed class RdbValueReader
{
    private readonly RdbElements _elements;
    private readonly RdbSource _source = new();
    private readonly RdbStrings _strings;
    private readonly RdbValues _values;
    private byte[] _text = [];

    public RdbValueReader(RdbElements elements, IRdbStreamSink streams)
    {
        _elements = elements;
        _strings = new RdbStrings(_source);
        _values = new RdbValues(_source, _strings, elements, streams);
    }

    /// <summary>The last value, if it is a string; valid until the next one is read.</summary>
    public ReadOnlyMemory<byte> Text { get; private set; }

    /// <summary>The bytes that were read of the last value.</summary>
    public long Offset => _source.Offset;

    /// <summary>The memory that it has beside the elements.</summary>
    public long HeldBytes => _source.HeldBytes + _text.Length + _values.HeldBytes;

    /// <summary>Reads a value. What is behind it is not looked at, as in Redis.</summary>
    /// <param name="bytes">Its type, and the value.</param>
    /// <returns>What it is.</returns>
    /// <exception cref="RdbFormatException">It is damaged, or of a type that is not read.</exception>
    public RdbKind Read(ReadOnlySpan<byte> bytes)
    {
        _source.Begin(bytes);
        _elements.Clear();
        Text = default;
        var type = (RdbType)_source.ReadByte();
        if (type == RdbType.String)
        {
            Text = _strings.Read(ref _text);
            return RdbKind.String;
        }

        return _values.TryRead(type, out var kind)
            ? kind
            : throw new RdbFormatException(0, $"the byte {(byte)type} is no type that is read.");
    }

    /// <summary>Forgets its memory.</summary>
    public void Trim()
    {
        (_text, Text) = ([], default);
        _source.Trim();
        _strings.Trim();
        _values.Trim();
    }
}
