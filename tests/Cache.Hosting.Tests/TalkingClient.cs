using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cache.Hosting.Tests;

/// <summary>Sends the same requests until the server ends the connection, and keeps the replies.</summary>
internal sealed class TalkingClient
{
    private readonly TcpClient _tcp = new();
    private readonly MemoryStream _replies = new();
    private readonly TaskCompletionSource _served = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly SemaphoreSlim _room = new(1);
    private volatile bool _isOver;
    private Task _talk = Task.CompletedTask;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>Connects, and returns once the server has begun to reply.</summary>
    public static async Task<TalkingClient> StartAsync(EndPoint endPoint, string requests)
    {
        var client = new TalkingClient();
        await client._tcp.ConnectAsync((IPEndPoint)endPoint, Token);
        client._talk = Task.WhenAll(
            Task.Run(() => client.SendAsync(Encoding.ASCII.GetBytes(requests))), Task.Run(client.ReceiveAsync));
        await client._served.Task.WaitAsync(Token);
        return client;
    }

    /// <summary>Connects again and again, until nobody listens.</summary>
    public static async Task ArriveAsync(EndPoint endPoint)
    {
        try
        {
            while (true)
            {
                // Who comes while the server stops is let in, reset, or refused; never left without an end.
                using var tcp = new TcpClient();
                await tcp.ConnectAsync((IPEndPoint)endPoint, Token);
                await IgnoreResetAsync(async () =>
                {
                    byte[] reply = new byte[7];
                    await tcp.GetStream().WriteAsync("PING\r\n"u8.ToArray(), Token);
                    int length = await tcp.GetStream().ReadAtLeastAsync(reply, 7, throwOnEndOfStream: false, Token);
                    Assert.Equal("+PONG\r\n"[..length], Encoding.ASCII.GetString(reply, 0, length));
                });
            }
        }
        catch (SocketException e)
            when (e.SocketErrorCode is SocketError.ConnectionRefused or SocketError.ConnectionReset)
        {
            // Nobody listens, or nobody will accept.
        }
    }

    /// <summary>Waits for the end of the connection, and checks that nothing but whole replies came before.</summary>
    public async Task AssertServedToTheEndAsync()
    {
        await _talk;
        _tcp.Dispose();
        AssertReplies(_replies.GetBuffer().AsSpan(0, (int)_replies.Length));
    }

    private async Task SendAsync(byte[] requests)
    {
        await IgnoreResetAsync(async () =>
        {
            while (!_isOver)
            {
                await _tcp.GetStream().WriteAsync(requests, Token);
                await _room.WaitAsync(Token);
            }
        });
    }

    private async Task ReceiveAsync()
    {
        byte[] bytes = new byte[64 * 1024];
        await IgnoreResetAsync(async () =>
        {
            int length;
            while ((length = await _tcp.GetStream().ReadAsync(bytes, Token)) > 0)
            {
                _replies.Write(bytes, 0, length);
                _served.TrySetResult();
                if (_room.CurrentCount == 0 && _tcp.Available == 0)
                    _room.Release();
            }
        });
        _isOver = true;
        _room.Release();
        try
        {
            _tcp.Client.Shutdown(SocketShutdown.Send); // The server waits for it, for a while.
        }
        catch (SocketException)
        {
            // It was reset.
        }
    }

    // The system resets a connection that is closed while bytes of the client lie unread.
    private static async Task IgnoreResetAsync(Func<Task> talk)
    {
        try
        {
            await talk();
        }
        catch (IOException e) when (e.InnerException is SocketException
        {
            SocketErrorCode: SocketError.ConnectionReset or SocketError.Shutdown or SocketError.ConnectionAborted,
        })
        {
            // As above.
        }
    }

    // Of the last reply a part may be missing, if the connection was reset.
    private static void AssertReplies(ReadOnlySpan<byte> replies)
    {
        while (replies.IndexOf("\r\n"u8) is >= 0 and int end)
        {
            string line = Encoding.ASCII.GetString(replies[..end]);
            Assert.Contains(line[0], "+$*");
            replies = replies[(end + 2)..];
            if (line[0] != '$' || line == "$-1")
                continue;
            int length = int.Parse(line.AsSpan(1)) + 2;
            replies = replies[Math.Min(length, replies.Length)..];
        }
    }
}
