using System.Buffers;

namespace Cache.Server.Transport;

/// <summary>Other memory, for a stream that takes no span, and only copies.</summary>
internal abstract class CopiedMemory : MemoryManager<byte>
{
    /// <summary>Who copies needs no address.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public sealed override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

    public sealed override void Unpin()
    {
    }

    protected sealed override void Dispose(bool disposing)
    {
    }
}
