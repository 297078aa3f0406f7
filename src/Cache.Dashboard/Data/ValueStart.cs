using Cache.Core;

namespace Cache.Dashboard.Data;

/// <summary>Receives the beginning of a value.</summary>
internal struct ValueStart : IValueSink
{
    private byte[] _bytes;

    public readonly ReadOnlySpan<byte> Bytes => _bytes;

    public Span<byte> GetSpan(int length) => _bytes = new byte[length];

    public readonly void Advance(int length)
    {
        // The span was made as long as that.
    }
}
