using System.Buffers;

namespace Cache.Core.Hybrid;

/// <summary>Turns the values of one type into payloads and back.</summary>
internal abstract class ValueSerializer<T>
{
    /// <summary>Whether a read should copy the value into a new array, which is the result.</summary>
    public virtual bool WantsArray => false;

    /// <summary>Writes the payload of a value that is not null.</summary>
    /// <returns>How to read it.</returns>
    public abstract ValueFlags Serialize(T value, IBufferWriter<byte> target);

    /// <summary>Reads a payload.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="flags">The flags with which it was written.</param>
    /// <param name="own">The payload as an array with no other owner, if there is one.</param>
    public abstract T Deserialize(ReadOnlySpan<byte> payload, ValueFlags flags, byte[]? own);
}
