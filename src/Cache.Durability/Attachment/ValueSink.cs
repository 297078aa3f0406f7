using Cache.Core;

namespace Cache.Durability.Attachment;

/// <summary>Copies values into one array, which grows to the longest one.</summary>
internal struct ValueSink() : IValueSink
{
    public byte[] Bytes { get; private set; } = [];

    public int Length { get; private set; }

    public Span<byte> GetSpan(int length)
    {
        if (Bytes.Length < length)
            Bytes = GC.AllocateUninitializedArray<byte>(length);
        return Bytes.AsSpan(0, length);
    }

    public void Advance(int length) => Length = length;
}
