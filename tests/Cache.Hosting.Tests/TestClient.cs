using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cache.Hosting.Tests;

/// <summary>A client of a server under test: sends text, reads text.</summary>
internal sealed class TestClient : IAsyncDisposable
{
    private readonly TcpClient _tcp = new();

    public static async Task<TestClient> ConnectAsync(EndPoint endPoint)
    {
        var client = new TestClient();
        await client._tcp.ConnectAsync((IPEndPoint)endPoint, TestContext.Current.CancellationToken);
        return client;
    }

    public ValueTask SendAsync(string text) =>
        _tcp.GetStream().WriteAsync(Encoding.UTF8.GetBytes(text), TestContext.Current.CancellationToken);

    /// <summary>The next so many bytes; fewer if the server closes before.</summary>
    public async Task<string> ReadAsync(int length)
    {
        var bytes = new byte[length];
        int read = await _tcp.GetStream().ReadAtLeastAsync(
            bytes, length, throwOnEndOfStream: false, TestContext.Current.CancellationToken);
        return Encoding.UTF8.GetString(bytes, 0, read);
    }

    /// <summary>Sends a request and checks its whole reply.</summary>
    public async Task ExpectAsync(string request, string reply)
    {
        await SendAsync(request + "\r\n");
        Assert.Equal(reply, await ReadAsync(Encoding.UTF8.GetByteCount(reply)));
    }

    public ValueTask DisposeAsync()
    {
        _tcp.Dispose();
        return ValueTask.CompletedTask;
    }
}
