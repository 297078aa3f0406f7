using System.IO.Pipelines;

namespace Cache.Server.Transport;

/// <summary>An input that can receive bytes to where they are to stay.</summary>
internal abstract class FillingPipeReader : PipeReader
{
    /// <summary>
    /// Reads as usual what lies here already; else receives into the target, which is left alone once the read has
    /// ended.
    /// </summary>
    /// <param name="target">Has room.</param>
    /// <returns>
    /// As of a usual read; an empty buffer, which is to be advanced over too, if the target got bytes.
    /// </returns>
    public abstract ValueTask<ReadResult> ReadAsync(FillTarget target);
}
