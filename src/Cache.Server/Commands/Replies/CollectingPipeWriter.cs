using System.Diagnostics;
using System.IO.Pipelines;

namespace Cache.Server.Commands.Replies;

/// <summary>Collects replies in one array.</summary>
internal sealed class CollectingPipeWriter : PipeWriter
{
    // After a longer reply the array is given up.
    private const int KeptBytes = 1024 * 1024;

    private const int FirstBytes = 4096;

    private byte[] _bytes = new byte[FirstBytes];
    private int _length;

    /// <summary>What was written since the last <see cref="Clear"/>.</summary>
    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    public void Clear()
    {
        _length = 0;
        if (_bytes.Length > KeptBytes)
            _bytes = new byte[FirstBytes];
    }

    public override void Advance(int bytes)
    {
        Debug.Assert(bytes >= 0 && bytes <= _bytes.Length - _length);
        _length += bytes;
    }

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        int needed = checked(_length + Math.Max(sizeHint, 1));
        if (needed > _bytes.Length)
            Array.Resize(ref _bytes, (int)Math.Min(Math.Max(needed, 2L * _bytes.Length), Array.MaxLength));
        return _bytes.AsMemory(_length);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void CancelPendingFlush()
    {
    }

    public override void Complete(Exception? exception = null)
    {
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) => default;
}
