using System.Net.Sockets;
using System.Text;

namespace Cache.Server.Commands.Migration;

/// <summary>The connection to the server that keys migrate to. Used by one operation at a time.</summary>
/// <remarks>Each wait is bounded by the timeout alone: a target that goes on is never given up.</remarks>
/// <param name="timeout">The longest that it may be silent.</param>
/// <param name="cancellationToken">The client waits no more.</param>
internal sealed class MigrationTarget(TimeSpan timeout, CancellationToken cancellationToken) : IDisposable
{
    // A reply of these commands is a short line; a longer one is none of a Redis.
    private const int LineBytesMax = 8 * 1024;

    private const int SentBytesMax = 64 * 1024;

    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly byte[] _input = new byte[LineBytesMax];
    private int _read;
    private int _received;

    /// <summary>Connects.</summary>
    /// <exception cref="IOException">It does not answer.</exception>
    public Task ConnectAsync(string host, int port) => BoundAsync(async token =>
    {
        await _socket.ConnectAsync(host, port, token).ConfigureAwait(false);
        return 0;
    });

    /// <summary>Sends bytes.</summary>
    /// <exception cref="IOException">They are not taken.</exception>
    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            var next = bytes[..Math.Min(bytes.Length, SentBytesMax)];
            int sent = await BoundAsync(async token => await _socket.SendAsync(next, token).ConfigureAwait(false))
                .ConfigureAwait(false);
            bytes = bytes[sent..];
        }
    }

    /// <summary>Receives a reply that is one line.</summary>
    /// <returns>The line, with its first character.</returns>
    /// <exception cref="IOException">There is none, or it is something else.</exception>
    public async ValueTask<string> ReceiveLineAsync()
    {
        while (true)
        {
            int length = _input.AsSpan(_read, _received - _read).IndexOf((byte)'\n');
            if (length > 0)
            {
                string line = Encoding.Latin1.GetString(_input, _read, length).TrimEnd('\r');
                _read += length + 1;
                if (line.Length > 0 && line[0] is '+' or '-' or ':')
                    return line;
            }

            if (length >= 0 || _received - _read == LineBytesMax)
                throw new IOException("The target does not answer as a Redis.");
            await ReceiveAsync().ConfigureAwait(false);
        }
    }

    public void Dispose() => _socket.Dispose();

    private async Task ReceiveAsync()
    {
        _input.AsSpan(_read, _received - _read).CopyTo(_input);
        (_received, _read) = (_received - _read, 0);
        int count = await BoundAsync(async token =>
            await _socket.ReceiveAsync(_input.AsMemory(_received), token).ConfigureAwait(false)).ConfigureAwait(false);
        if (count == 0)
            throw new EndOfStreamException("The target has closed the connection.");
        _received += count;
    }

    private async Task<int> BoundAsync(Func<CancellationToken, Task<int>> operation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        try
        {
            return await operation(limit.Token).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is SocketException or OperationCanceledException
            or ObjectDisposedException or ArgumentException)
        {
            throw new IOException("The target cannot be reached.", failure);
        }
    }
}
