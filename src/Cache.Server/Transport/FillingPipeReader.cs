using System.IO.Pipelines;

namespace Cache.Server.Transport;

/// <summary>An input that can receive bytes to where they will stay.</summary>
internal abstract class FillingPipeReader : PipeReader
{
    /// <summary>
    /// Reads as usual what lies here already; else receives into the target, which is left alone once the read has
    /// ended.
    /// </summary>
    /// <param name="target">Has room.</param>
    /// <returns>
    /// As of a usual read; an empty buffer if the target got bytes: it must be advanced over too.
    /// </returns>
    public abstract ValueTask<ReadResult> ReadAsync(FillTarget target);
}
