using System.IO.Pipelines;

namespace Cache.Testing;

/// <summary>A pipe's writer that counts how often it was flushed: the sends that a socket would have seen.</summary>
internal sealed class FlushCountingWriter(PipeWriter writer) : PipeWriter
{
    public int FlushCount { get; private set; }

    public long FlushedBytes { get; private set; }

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => writer.UnflushedBytes;

    public override void Advance(int bytes) => writer.Advance(bytes);

    public override Memory<byte> GetMemory(int sizeHint = 0) => writer.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => writer.GetSpan(sizeHint);

    public override void CancelPendingFlush() => writer.CancelPendingFlush();

    public override void Complete(Exception? exception = null) => writer.Complete(exception);

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        FlushCount++;
        FlushedBytes += writer.UnflushedBytes;
        return writer.FlushAsync(cancellationToken);
    }
}
