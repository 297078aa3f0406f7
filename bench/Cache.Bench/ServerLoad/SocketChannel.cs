using System.Net.Sockets;

namespace Cache.Bench.ServerLoad;

/// <summary>The plain way: the socket's own operations.</summary>
internal sealed class SocketChannel : LoadChannel
{
    private readonly Socket _socket;
    private readonly SocketAsyncEventArgs _send = new();
    private readonly SocketAsyncEventArgs _receive = new();

    public SocketChannel(NetworkStream stream)
        : base(stream)
    {
        _socket = stream.Socket;
        _send.Completed += OnSent;
        _receive.Completed += OnReceived;
    }

    public override string? SendFailure =>
        _send.SocketError == SocketError.Success ? null : $"A send failed: {_send.SocketError}.";

    public override string? ReceiveFailure => _receive.SocketError switch
    {
        SocketError.Success => _receive.BytesTransferred > 0 ? null : Closed,
        var error => $"A receive failed: {error}.",
    };

    public override int ReceivedBytes => _receive.BytesTransferred;

    public override bool Send(byte[] bytes, int count)
    {
        _send.SetBuffer(bytes, 0, count);
        return _socket.SendAsync(_send);
    }

    public override bool Receive(byte[] bytes, int offset)
    {
        _receive.SetBuffer(bytes, offset, bytes.Length - offset);
        return _socket.ReceiveAsync(_receive);
    }

    public override void Dispose()
    {
        base.Dispose();
        _send.Dispose();
        _receive.Dispose();
    }

    private void OnSent(object? sender, SocketAsyncEventArgs operation) => Sent();

    private void OnReceived(object? sender, SocketAsyncEventArgs operation) => Received();
}
