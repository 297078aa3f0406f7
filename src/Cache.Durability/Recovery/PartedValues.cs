namespace Cache.Durability.Recovery;

/// <summary>The values whose parts came, until the records come that they belong to.</summary>
/// <remarks>
/// A value is known by the place of its record, or of the group that its record is in; of several with one place the
/// order counts. Parts come in their order, those of several values perhaps in turns.
/// </remarks>
internal sealed class PartedValues
{
    private readonly Dictionary<ulong, Values> _values = [];

    /// <summary>Takes a part, or says what is wrong with it.</summary>
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

    /// <summary>Whether a value that is yet to be taken has this length.</summary>
    /// <param name="owner">The place of its record or group.</param>
    /// <param name="ahead">How many are taken before it.</param>
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
