using System.Net.Security;

namespace Cache.Bench.ServerLoad;

/// <summary>TLS, by the runtime's stream over the socket's.</summary>
internal sealed class TlsChannel : LoadChannel
{
    // Made once: an operation that goes on allocates nothing here.
    private readonly Action _onSent;
    private readonly Action _onReceived;
    private ValueTask _send;
    private ValueTask<int> _receive;
    private string? _sendFailure;
    private string? _receiveFailure;
    private int _receivedBytes;

    /// <param name="stream">One whose handshake has ended.</param>
    public TlsChannel(SslStream stream)
        : base(stream)
    {
        _onSent = OnSent;
        _onReceived = OnReceived;
    }

    public override string? SendFailure => _sendFailure;

    public override string? ReceiveFailure => _receiveFailure;

    public override int ReceivedBytes => _receivedBytes;

    public override bool Send(byte[] bytes, int count)
    {
        _send = Stream.WriteAsync(bytes.AsMemory(0, count));
        if (!_send.IsCompleted)
        {
            _send.GetAwaiter().UnsafeOnCompleted(_onSent);
            return true;
        }

        EndSend();
        return false;
    }

    public override bool Receive(byte[] bytes, int offset)
    {
        _receive = Stream.ReadAsync(bytes.AsMemory(offset));
        if (!_receive.IsCompleted)
        {
            _receive.GetAwaiter().UnsafeOnCompleted(_onReceived);
            return true;
        }

        EndReceive();
        return false;
    }

    private void OnSent()
    {
        EndSend();
        Sent();
    }

    private void OnReceived()
    {
        EndReceive();
        Received();
    }

    private void EndSend()
    {
        try
        {
            _send.GetAwaiter().GetResult();
            _sendFailure = null;
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            _sendFailure = $"A send failed: {e.Message}";
        }
    }

    private void EndReceive()
    {
        _receivedBytes = 0;
        try
        {
            _receivedBytes = _receive.GetAwaiter().GetResult();
            _receiveFailure = _receivedBytes > 0 ? null : Closed;
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            _receiveFailure = $"A receive failed: {e.Message}";
        }
    }
}
