using System.IO.Pipelines;
using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

internal sealed partial class SocketConnection
{
    // Memory is taken in stretches for the replies of a usual read, so that they are sent as one buffer.
    private const int OutputSegmentBytes = 16 * 1024;

    // Unsent bytes at which a flush waits for the peer, besides the system's send buffer.
    private const int OutputPauseBytes = 64 * 1024;

    private static readonly PipeOptions OutputOptions = new(
        readerScheduler: PipeScheduler.Inline,
        writerScheduler: PipeScheduler.Inline,
        pauseWriterThreshold: OutputPauseBytes,
        resumeWriterThreshold: OutputPauseBytes / 2,
        minimumSegmentSize: OutputSegmentBytes,
        useSynchronizationContext: false);

    private readonly SocketOperation _send = new();

    // Written by the send loop; read by any thread.
    private long _sentBytes;
    private long _unsentBytes;

    private async Task SendAsync()
    {
        Exception? error = null;
        try
        {
            error = await SendUntilEndAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // Any error ends only this connection; a flush reports that the peer is gone.
        catch (Exception e)
#pragma warning restore CA1031
        {
            error = e;
        }

        // Without the error: a flush reports the end, as on every transport.
        await _output.Reader.CompleteAsync().ConfigureAwait(false);

        // Without a peer to send to, receiving is pointless; this also ends the pending receive.
        if (error is not null)
            Abort();
    }

    private async ValueTask<Exception?> SendUntilEndAsync()
    {
        var reader = _output.Reader;
        while (true)
        {
            var read = await reader.ReadAsync().ConfigureAwait(false);
            var buffer = read.Buffer;
            if (buffer.IsEmpty && read.IsCompleted)
                return null;

            Volatile.Write(ref _unsentBytes, buffer.Length);
            var send = buffer.IsSingleSegment
                ? _send.SendAsync(_socket, buffer.First)
                : _send.SendAsync(_socket, buffer);
            var (bytes, error) = await send.ConfigureAwait(false);
            if (error != SocketError.Success)
                return new SocketException((int)error);

            Volatile.Write(ref _sentBytes, _sentBytes + bytes);
            Volatile.Write(ref _unsentBytes, buffer.Length - bytes);
            reader.AdvanceTo(bytes == buffer.Length ? buffer.End : buffer.GetPosition(bytes));
        }
    }
}
