using System.IO.Pipelines;

namespace Cache.Server.Transport;

/// <summary>An input that can receive bytes directly into memory of its user.</summary>
internal abstract class FillingPipeReader : PipeReader
{
    /// <summary>The longest request that one receive may take whole, where a long one is expected.</summary>
    public const int LongBytesMax = 128 * 1024;

    /// <summary>
    /// Returns bytes that were received already, as a usual read; else receives into the target, which is not used
    /// after the end of the read.
    /// </summary>
    /// <param name="target">Has room.</param>
    /// <returns>
    /// As a usual read; an empty buffer if bytes were received into the target: it must be advanced over too.
    /// </returns>
    public abstract ValueTask<ReadResult> ReadAsync(FillTarget target);

    /// <summary>
    /// The next bytes are likely those of a long request: the next receive may take more than usual. Its user, between
    /// two reads.
    /// </summary>
    public abstract void ExpectLong();
}
