using System.IO.Pipelines;

namespace Cache.Testing;

/// <summary>A pipe's writer that tells before and after each call: there something else may happen.</summary>
internal sealed class TellingWriter(PipeWriter writer, Action<string> pass) : PipeWriter
{
    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => writer.UnflushedBytes;

    public override void Advance(int bytes)
    {
        pass("before a reply is written");
        writer.Advance(bytes);
    }

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        pass("before a reply has room");
        return writer.GetMemory(sizeHint);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void CancelPendingFlush() => writer.CancelPendingFlush();

    public override void Complete(Exception? exception = null)
    {
        pass("before the output is completed");
        writer.Complete(exception);
    }

    public override async ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        pass("before a flush");
        var result = await writer.FlushAsync(cancellationToken);
        pass("after a flush");
        return result;
    }
}
