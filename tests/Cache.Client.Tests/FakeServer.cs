using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cache.Client.Tests;

/// <summary>
/// A server on loopback that answers each request by what the test gives: bytes of RESP, sent as they are; an empty
/// answer is none, null closes the connection.
/// </summary>
internal sealed class FakeServer : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Func<FakeClient, string[], string?> _answer;
    private readonly List<FakeClient> _clients = [];
    private readonly List<Task> _tasks = [];

    public FakeServer(Func<FakeClient, string[], string?> answer)
    {
        _answer = answer;
        _listener.Start();
        lock (_tasks)
            _tasks.Add(AcceptAsync());
    }

    public const string HelloReply = "%2\r\n$5\r\nproto\r\n:3\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n";

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public ServerAddress Address => new("127.0.0.1", Port);

    public FakeClient[] Clients
    {
        get
        {
            lock (_tasks)
                return [.. _clients];
        }
    }

    public static string Bulk(string text) => $"${text.Length}\r\n{text}\r\n";

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        foreach (var client in Clients)
            client.Close();
        Task[] tasks;
        lock (_tasks)
            tasks = [.. _tasks];
        await Task.WhenAll(tasks);
        _listener.Dispose();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = new FakeClient(await _listener.AcceptSocketAsync());
                lock (_tasks)
                {
                    _clients.Add(client);
                    _tasks.Add(Task.Run(() => ServeAsync(client)));
                }
            }
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException
            or InvalidOperationException)
        {
            // It was stopped.
        }
    }

    private async Task ServeAsync(FakeClient client)
    {
        try
        {
            while (await client.ReadAsync() is { } request)
            {
                if (_answer(client, request) is not { } answer)
                    break;
                client.Send(answer);
            }
        }
        catch (Exception failure) when (failure is IOException or SocketException or ObjectDisposedException)
        {
            // The other end is gone.
        }

        client.Close();
    }
}

/// <summary>A connection to the fake server.</summary>
internal sealed class FakeClient(Socket socket)
{
    private readonly BufferedStream _stream = new(new NetworkStream(socket, ownsSocket: true));
    private readonly Lock _gate = new();

    public void Send(string bytes)
    {
        try
        {
            lock (_gate)
            {
                for (var rest = Encoding.Latin1.GetBytes(bytes).AsSpan(); rest.Length > 0;)
                    rest = rest[socket.Send(rest)..];
            }
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException)
        {
            // The other end is gone.
        }
    }

    public void Close() => socket.Dispose();

    /// <summary>The next request; null: there are no more.</summary>
    public async Task<string[]?> ReadAsync()
    {
        // As a task, since a read blocks: the test's threads are few.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (await ReadLineAsync() is not { } head)
            return null;
        var words = new string[int.Parse(head[1..])];
        for (int i = 0; i < words.Length; i++)
        {
            if (await ReadLineAsync() is not { } length)
                return null;
            byte[] bytes = new byte[int.Parse(length[1..])];
            await _stream.ReadExactlyAsync(bytes);
            await ReadLineAsync();
            words[i] = Encoding.Latin1.GetString(bytes);
        }

        return words;
    }

    private async Task<string?> ReadLineAsync()
    {
        var line = new StringBuilder();
        byte[] one = new byte[1];
        while (await _stream.ReadAsync(one) == 1)
        {
            if (one[0] == '\n')
                return line.ToString(0, line.Length - 1);
            line.Append((char)one[0]);
        }

        return null;
    }
}
