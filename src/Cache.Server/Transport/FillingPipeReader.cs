using System.IO.Pipelines;

namespace Cache.Server.Transport;

/// <summary>An input that can receive bytes directly into memory of its user.</summary>
internal abstract class FillingPipeReader : PipeReader
{
    /// <summary>
    /// Returns bytes that were received already, as a usual read; else receives into the target, which is not used
    /// after the end of the read.
    /// </summary>
    /// <param name="target">Has room.</param>
    /// <returns>
    /// As a usual read; an empty buffer if bytes were received into the target: it must be advanced over too.
    /// </returns>
    public abstract ValueTask<ReadResult> ReadAsync(FillTarget target);
}
