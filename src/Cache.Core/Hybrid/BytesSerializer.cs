using System.Buffers;

namespace Cache.Core.Hybrid;

/// <summary>Arrays of bytes are their own payload.</summary>
internal sealed class BytesSerializer : ValueSerializer<byte[]>
{
    public override bool WantsArray => true;

    public override ValueFlags Serialize(byte[] value, IBufferWriter<byte> target)
    {
        target.Write(value);
        return ValueFlags.None;
    }

    public override byte[] Deserialize(ReadOnlySpan<byte> payload, ValueFlags flags, byte[]? own) =>
        own is not null && own.Length == payload.Length ? own : payload.ToArray();
}
