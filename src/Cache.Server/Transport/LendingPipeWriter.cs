using System.IO.Pipelines;

namespace Cache.Server.Transport;

/// <summary>An output that can send bytes without copying them.</summary>
internal abstract class LendingPipeWriter : PipeWriter
{
    /// <summary>
    /// Writes bytes behind the previous ones, without copying them: they are disposed of once they are sent, or cannot
    /// be.
    /// </summary>
    public abstract void Write(LentBytes bytes);
}
