using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Net.Security;
using System.Runtime.CompilerServices;

namespace Cache.Server.Transport.Tls;

/// <summary>The plain bytes from the peer.</summary>
/// <remarks>
/// A read waits with an empty read of the TLS stream, which holds no buffer meanwhile, and then reads the text of all
/// records that have arrived. Bytes that the owner does not consume stay in an array, which grows by doubling as bytes
/// arrive; an idle connection without such bytes holds none. The text for a target is copied once, by the TLS stream,
/// to where it is to stay. Concurrency: used only by the owner.
/// </remarks>
internal sealed class TlsInput(SslStream ssl, TlsRecordStream records) : FillingPipeReader
{
    // The text of one receive of the transport.
    private const int ReadBytes = 16 * 1024;

    // The top bit of a position in a sequence over an array says what kind of sequence it is.
    private const int IndexMask = int.MaxValue;

    // The text that goes into a target in one turn: that of one long receive.
    private const int FillBytes = LongBytesMax;

    private byte[] _array = [];
    private int _start;
    private int _end;
    private bool _examined = true;
    private bool _ended;
    private TargetMemory? _room;

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) =>
        TryRead(out var result) ? ValueTask.FromResult(result) : ReadMoreAsync(cancellationToken);

    public override ValueTask<ReadResult> ReadAsync(FillTarget target) =>
        TryRead(out var result) ? ValueTask.FromResult(result)
        : _start == _end ? FillAsync(target)
        : ReadMoreAsync(CancellationToken.None);

    public override void ExpectLong() => records.ExpectLong();

    public override bool TryRead(out ReadResult result)
    {
        bool any = (_end > _start && !_examined) || _ended;
        result = any ? Result(isCanceled: false) : default;
        return any;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        int start = consumed.GetInteger() & IndexMask;
        Debug.Assert(start >= _start && start <= _end);
        _examined = (examined.GetInteger() & IndexMask) == _end;
        _start = start;
        if (_start == _end)
            Release();
    }

    public override void CancelPendingRead() => records.CancelPendingRead();

    public override void Complete(Exception? exception = null) => Release();

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> ReadMoreAsync(CancellationToken cancellationToken)
    {
        await ssl.ReadAsync(Memory<byte>.Empty, cancellationToken).ConfigureAwait(false);
        MakeRoom();
        int count = await ssl.ReadAsync(_array.AsMemory(_end), cancellationToken).ConfigureAwait(false);
        _end += count;
        _ended = count == 0;
        _examined = _ended;
        return Result(isCanceled: false);
    }

    // All the records that have arrived, so that the connection goes on once for them and not once for each.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> FillAsync(FillTarget target)
    {
        if (target.Room.Length > ReadBytes)
            records.ExpectLong();
        await ssl.ReadAsync(Memory<byte>.Empty).ConfigureAwait(false);
        _room ??= new TargetMemory();
        _room.Target = target;
        int left = Math.Min(target.Room.Length, FillBytes);
        int count;
        do
        {
            count = await ssl.ReadAsync(_room.FirstOf(left)).ConfigureAwait(false);
            if (count > 0)
                target.Advance(count);
            left -= count;
        }
        while (count > 0 && left > 0 && !records.IsDrained);

        _room.Target = null;
        _ended = count == 0;
        _examined = _ended;
        return Result(isCanceled: false);
    }

    private ReadResult Result(bool isCanceled) =>
        new(new ReadOnlySequence<byte>(_array, _start, _end - _start), isCanceled, isCompleted: _ended);

    private void MakeRoom()
    {
        int kept = _end - _start;
        if (_array.Length - _end >= ReadBytes / 2)
            return;
        byte[] array = ArrayPool<byte>.Shared.Rent(
            (int)Math.Min(Math.Max(ReadBytes, 2L * kept), Array.MaxLength));
        _array.AsSpan(_start, kept).CopyTo(array);
        Release();
        _array = array;
        _end = kept;
    }

    private void Release()
    {
        if (_array.Length > 0)
            ArrayPool<byte>.Shared.Return(_array);
        _array = [];
        _start = _end = 0;
    }
}
