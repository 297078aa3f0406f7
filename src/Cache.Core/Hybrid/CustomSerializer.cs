using System.Buffers;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Hybrid;

/// <summary>Values by a serializer that the application registered.</summary>
internal sealed class CustomSerializer<T>(IHybridCacheSerializer<T> serializer) : ValueSerializer<T>
{
    public override ValueFlags Serialize(T value, IBufferWriter<byte> target)
    {
        serializer.Serialize(value, target);
        return ValueFlags.None;
    }

    public override T Deserialize(ReadOnlySpan<byte> payload, ValueFlags flags, byte[]? own)
    {
        // The serializer takes a sequence, which must be over memory, not a span.
        var rented = ArrayPool<byte>.Shared.Rent(payload.Length);
        try
        {
            payload.CopyTo(rented);
            return serializer.Deserialize(new ReadOnlySequence<byte>(rented, 0, payload.Length));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }
}
