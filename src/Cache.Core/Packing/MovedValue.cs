namespace Cache.Core.Packing;

/// <summary>The bytes of a value in a record's next place; none if they stay as they are.</summary>
/// <remarks>They lie in the packer's memory until its next use.</remarks>
internal readonly ref struct MovedValue(ReadOnlySpan<byte> bytes, bool isCompressed)
{
    public readonly ReadOnlySpan<byte> Bytes = bytes;

    public bool IsCompressed { get; } = isCompressed;

    public bool IsNone => Bytes.IsEmpty;
}
