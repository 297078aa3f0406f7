using System.IO.Pipelines;

namespace Cache.Testing;

/// <summary>A pipe's reader that tells before and after each call: there something else may happen.</summary>
internal sealed class TellingReader(PipeReader reader, Action<string> pass) : PipeReader
{
    public override bool TryRead(out ReadResult result)
    {
        pass("before a read");
        return reader.TryRead(out result);
    }

    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        pass("before a read");
        var result = await reader.ReadAsync(cancellationToken);
        pass("after a read");
        return result;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        pass("before a read is given back");
        reader.AdvanceTo(consumed, examined);
        pass("after a read was given back");
    }

    public override void CancelPendingRead() => reader.CancelPendingRead();

    public override void Complete(Exception? exception = null)
    {
        pass("before the input is completed");
        reader.Complete(exception);
    }
}
