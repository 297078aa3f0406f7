using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

internal sealed partial class SocketConnection
{
    // The bytes that an idle connection holds while it waits.
    private const int ReceiveBytesMin = 4096;

    // The most bytes of one receive from a busy peer: large enough that the call costs little per byte.
    private const int ReceiveBytesMax = 64 * 1024;

    // The unread bytes at which receiving pauses: a few full receives, so that the owner never waits for the next.
    private const int InputPauseBytes = 4 * ReceiveBytesMax;

    // At most this many receives in a row may complete at once; then the thread serves other connections.
    private const int ReceivesInRowMax = 16;

    private static readonly PipeOptions InputOptions = new(
        readerScheduler: PipeScheduler.Inline,
        writerScheduler: PipeScheduler.Inline,
        pauseWriterThreshold: InputPauseBytes,
        resumeWriterThreshold: InputPauseBytes / 2,
        minimumSegmentSize: ReceiveBytesMin,
        useSynchronizationContext: false);

    private readonly SocketOperation _receive = new();
    private int _receiveBytes = ReceiveBytesMin;
    private volatile bool _stopping;

    private async Task ReceiveAsync()
    {
        Exception? error = null;
        try
        {
            error = await ReceiveUntilEndAsync().ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            error = new SocketException((int)SocketError.OperationAborted);
        }
#pragma warning disable CA1031 // Any error ends only this connection; the owner gets it when it reads.
        catch (Exception e)
#pragma warning restore CA1031
        {
            error = e;
        }

        await _input.Writer.CompleteAsync(error).ConfigureAwait(false);
    }

    private async ValueTask<Exception?> ReceiveUntilEndAsync()
    {
        var writer = _input.Writer;
        for (int inRow = 0; ;)
        {
            var memory = writer.GetMemory(_receiveBytes);
            var receive = _receive.ReceiveAsync(_socket, memory);
            inRow = receive.IsCompleted ? inRow + 1 : 0;
            var (bytes, error) = await receive.ConfigureAwait(false);
            if (error != SocketError.Success)
                return new SocketException((int)error);
            if (bytes == 0)
                return null;

            writer.Advance(bytes);
            FitReceive(bytes, memory.Length);
            var flush = await writer.FlushAsync().ConfigureAwait(false);
            if (flush.IsCompleted)
                return await DiscardAsync().ConfigureAwait(false);
            if (_stopping)
                EndIfLast();
            if (inRow == ReceivesInRowMax)
            {
                inRow = 0;
                await Task.Yield();
            }
        }
    }

    // Twice as much after a receive that filled its memory, half as much after one that would have fitted many times
    // over.
    private void FitReceive(int bytes, int room)
    {
        if (bytes == room)
            _receiveBytes = Math.Min(_receiveBytes * 2, ReceiveBytesMax);
        else if (bytes < _receiveBytes / 8)
            _receiveBytes = Math.Max(_receiveBytes / 2, ReceiveBytesMin);
    }

    // Once receiving stops, the owner reads only the bytes that the system holds. Not by a shutdown of this side: bytes
    // that arrive after it reset the connection, and the last replies are lost.
    private void EndIfLast()
    {
        try
        {
            if (_socket.Available > 0)
                return;
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // An abort came first.
        }

        Input.CancelPendingRead();
    }

    // The owner reads no more. Bytes that still arrive must be received, or closing would reset the connection.
    private async ValueTask<Exception?> DiscardAsync()
    {
        byte[] rubbish = ArrayPool<byte>.Shared.Rent(ReceiveBytesMax);
        try
        {
            SocketResult result;
            do
                result = await _receive.ReceiveAsync(_socket, rubbish).ConfigureAwait(false);
            while (result.Bytes > 0);
            return null;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rubbish);
        }
    }
}
