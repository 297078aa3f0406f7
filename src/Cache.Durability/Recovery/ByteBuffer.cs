namespace Cache.Durability.Recovery;

/// <summary>Collects bytes that come in parts: memory is allocated only for received bytes.</summary>
internal sealed class ByteBuffer
{
    private const int BytesFirst = 256 << 10;

    private byte[] _bytes = [];

    public int Length { get; private set; }

    public ReadOnlySpan<byte> Span => _bytes.AsSpan(0, Length);

    /// <summary>False if there would be more than fit in an array.</summary>
    public bool TryAdd(ReadOnlySpan<byte> bytes)
    {
        long length = (long)Length + bytes.Length;
        if (length > Array.MaxLength)
            return false;
        if (length > _bytes.Length)
            Array.Resize(ref _bytes, (int)Math.Clamp(2L * length, BytesFirst, Array.MaxLength));
        bytes.CopyTo(_bytes.AsSpan(Length));
        Length = (int)length;
        return true;
    }
}
