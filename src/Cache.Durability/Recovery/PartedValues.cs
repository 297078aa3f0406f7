namespace Cache.Durability.Recovery;

/// <summary>The values whose parts were read, until their records are read.</summary>
/// <remarks>
/// A value is identified by the place of its record, or of the record's group; several values with the same place come
/// in order. The parts of a value come in order, perhaps mixed with those of other values.
/// </remarks>
internal sealed class PartedValues
{
    private readonly Dictionary<ulong, Values> _values = [];

    /// <summary>Adds a part, or returns the error.</summary>
    public string Add(ulong owner, long offset, ReadOnlySpan<byte> part)
    {
        if (!_values.TryGetValue(owner, out var values))
            _values.Add(owner, values = new Values());
        if (offset == 0)
            values.All.Add(new ByteBuffer());
        if (values.All.Count == 0 || values.All[^1].Length != offset)
            return "is not the next part of its value";
        return values.All[^1].TryAdd(part) ? "" : "makes a value too long";
    }

    /// <summary>Whether a value that was not taken yet has this length.</summary>
    /// <param name="owner">The place of its record or group.</param>
    /// <param name="ahead">The number of values to be taken before it.</param>
    /// <param name="length">Its length.</param>
    public bool Has(ulong owner, int ahead, int length) =>
        _values.TryGetValue(owner, out var values) && values.Next + ahead < values.All.Count
        && values.All[values.Next + ahead].Length == length;

    /// <summary>The next value, if it has this length; valid until <see cref="Clear"/>.</summary>
    public bool TryTake(ulong owner, int length, out ReadOnlySpan<byte> value)
    {
        value = default;
        if (length == 0)
            return true;
        if (!Has(owner, ahead: 0, length))
            return false;
        var values = _values[owner];
        value = values.All[values.Next++].Span;
        return true;
    }

    public void Clear() => _values.Clear();

    private sealed class Values
    {
        public List<ByteBuffer> All { get; } = [];

        public int Next { get; set; }
    }
}
