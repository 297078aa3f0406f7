namespace Cache.Server.Protocol;

/// <summary>A GET, or a SET without options, as nearly all clients write it; complete in the input.</summary>
/// <remarks>Offsets count from the first byte of the input.</remarks>
internal struct CommonRequest
{
    /// <summary>The beginning of the next request.</summary>
    public int End;

    public int KeyOffset;

    public int KeyLength;

    public int ValueOffset;

    /// <summary>The length of the value of a SET; −1 for a GET.</summary>
    public int ValueLength;

    public readonly bool IsGet => ValueLength < 0;

    public readonly ReadOnlySpan<byte> KeyIn(ReadOnlySpan<byte> input) => input.Slice(KeyOffset, KeyLength);

    public readonly ReadOnlySpan<byte> ValueIn(ReadOnlySpan<byte> input) => input.Slice(ValueOffset, ValueLength);
}
