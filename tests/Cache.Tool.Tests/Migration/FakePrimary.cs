using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Cache.Tool.Migration;

namespace Cache.Tool.Tests.Migration;

/// <summary>A source that gives its stream as a test says: one session for each PSYNC.</summary>
internal sealed class FakePrimary : IAsyncDisposable
{
    public const string Id = "0123456789012345678901234567890123456789";

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentQueue<Session> _sessions = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _accepting;
    private volatile Session? _last;

    public FakePrimary(params Session[] sessions)
    {
        foreach (var one in sessions)
            _sessions.Enqueue(one);
        _listener.Start();
        _accepting = Task.Run(AcceptAsync);
    }

    /// <summary>What a link is told and sent.</summary>
    /// <param name="Reply">The reply to PSYNC.</param>
    /// <param name="Snapshot">What follows at once.</param>
    /// <param name="Stream">What follows the first ACK.</param>
    /// <param name="IsCut">Whether the link is cut behind that, or where that is nothing, behind the snapshot.</param>
    internal sealed record Session(string Reply, byte[] Snapshot, byte[] Stream, bool IsCut = false)
    {
        /// <summary>What INFO tells meanwhile as the end of the stream; null: that of the source.</summary>
        public long? End { get; init; }
    }

    public string Uri => $"redis://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}";

    /// <summary>The arguments of each PSYNC.</summary>
    public ConcurrentQueue<string> Asked { get; } = new();

    /// <summary>What INFO tells as the end of the stream.</summary>
    public long Offset { get; init; }

    /// <summary>From now on it refuses connections; those that are there stay.</summary>
    public void Refuse() => _listener.Stop();

    /// <summary>A snapshot of a length that is known, or of one that is not.</summary>
    public static byte[] Transfer(byte[] file, bool hasLength) => hasLength
        ? [.. "\n"u8, .. Encoding.ASCII.GetBytes($"${file.Length}\r\n"), .. file]
        : [.. Encoding.ASCII.GetBytes($"\n$EOF:{Id}\r\n"), .. file, .. Encoding.ASCII.GetBytes(Id)];

    public static byte[] Commands(params string[] commands)
    {
        var buffer = new RequestBuffer();
        foreach (string command in commands)
        {
            string[] words = command.Split(' ');
            buffer.Begin(words.Length);
            foreach (string word in words)
                buffer.Add(Encoding.Latin1.GetBytes(word));
        }

        return buffer.Written.ToArray();
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _accepting;
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        var served = new List<Task>();
        try
        {
            while (true)
            {
                var socket = await _listener.AcceptSocketAsync(_stop.Token);
                served.Add(Task.Run(() => Serve(socket)));
            }
        }
        catch (Exception failure) when (failure is OperationCanceledException or SocketException)
        {
            await Task.WhenAll(served);
        }
    }

    private void Serve(Socket socket)
    {
        using var registration = _stop.Token.Register(socket.Dispose);
        using (socket)
        {
            try
            {
                using var stream = new NetworkStream(socket);
                Serve(stream);
            }
            catch (Exception failure) when (failure is IOException or ObjectDisposedException or SocketException)
            {
                // The end of a connection.
            }
        }
    }

    private void Serve(NetworkStream stream)
    {
        var reader = new LinkReader(stream);
        var commands = new CommandReader(reader);
        Session? session = null;
        while (true)
        {
            while (reader.Buffered is [(byte)'\n', ..])
                reader.Take(1);
            if (reader.Buffered.IsEmpty)
            {
                reader.Fill();
                continue;
            }

            var command = commands.Read();
            string text = Encoding.Latin1.GetString(command.Bytes);
            if (command.Name == "PSYNC")
            {
                Asked.Enqueue(string.Join(' ', text.Split("\r\n")[4], text.Split("\r\n")[6]));
                if (!_sessions.TryDequeue(out session))
                    return;
                _last = session;
                stream.Write(Encoding.ASCII.GetBytes(session.Reply + "\r\n"));
                stream.Write(session.Snapshot);
                if (session.IsCut && session.Stream.Length == 0)
                    return;
            }
            else if (command.Name == "INFO")
            {
                string info = $"# Replication\r\nmaster_repl_offset:{_last?.End ?? Offset}\r\n";
                stream.Write(Encoding.ASCII.GetBytes($"${info.Length}\r\n{info}\r\n"));
            }
            else if (command.Argument != "ACK")
                stream.Write("+OK\r\n"u8);
            else if (session is not null)
            {
                stream.Write(session.Stream);
                if (session.IsCut)
                    return;
                session = null;
            }
        }
    }
}
