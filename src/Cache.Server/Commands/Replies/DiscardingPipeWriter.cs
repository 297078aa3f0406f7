using System.IO.Pipelines;

namespace Cache.Server.Commands.Replies;

/// <summary>Discards the replies that a client asked not to get.</summary>
internal sealed class DiscardingPipeWriter : PipeWriter
{
    // A longer reply gets its own memory, which is not kept.
    private const int ScratchBytes = 16 * 1024;

    private readonly byte[] _scratch = new byte[ScratchBytes];

    public override void Advance(int bytes)
    {
    }

    public override void CancelPendingFlush()
    {
    }

    public override void Complete(Exception? exception = null)
    {
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) => default;

    public override Memory<byte> GetMemory(int sizeHint = 0) =>
        sizeHint <= _scratch.Length ? _scratch : new byte[sizeHint];

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;
}
