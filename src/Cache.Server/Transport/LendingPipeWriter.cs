using System.IO.Pipelines;

namespace Cache.Server.Transport;

/// <summary>An output that can send bytes from where they lie.</summary>
internal abstract class LendingPipeWriter : PipeWriter
{
    /// <summary>
    /// Writes bytes behind what was written before, without copying them: they are disposed of once they are sent, or
    /// cannot be.
    /// </summary>
    public abstract void Write(LentBytes bytes);
}
