namespace Cache.Protocol;

/// <summary>A value without parts, or the beginning of one with parts. Valid as long as the input.</summary>
/// <remarks>The absence of a string or of an array in RESP2 is <see cref="RespType.Null"/> too.</remarks>
internal readonly ref struct RespToken
{
    public RespToken(RespType type, ReadOnlySpan<byte> text)
    {
        Type = type;
        Text = text;
    }

    public RespToken(RespType type, long number)
    {
        Type = type;
        Number = number;
    }

    public RespType Type { get; }

    /// <summary>
    /// An integer; 0 or 1 of a boolean; the number of values that follow as parts, of a map twice its pairs.
    /// </summary>
    public long Number { get; }

    /// <summary>The bytes of a string, an error, a double, or a big number.</summary>
    public ReadOnlySpan<byte> Text { get; }

    /// <summary>Whether parts follow, none perhaps.</summary>
    public bool IsAggregate =>
        Type is RespType.Array or RespType.Map or RespType.Set or RespType.Push or RespType.Attribute;
}
