using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cache.Concurrency.Tests.Histories;

/// <summary>A client that asks and waits; another thread may cut it off in the middle.</summary>
internal sealed class HistoryConnection : IDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
    {
        NoDelay = true,
    };

    private readonly Stream _stream;

    public HistoryConnection(IPEndPoint endPoint)
    {
        _socket.Connect(endPoint);
        _socket.ReceiveTimeout = (int)_patience.TotalMilliseconds;
        _stream = new BufferedStream(new NetworkStream(_socket));
    }

    /// <summary>Asks, and returns the values of the reply; null for an absent one.</summary>
    /// <exception cref="IOException">The connection was cut off; the request may have taken place.</exception>
    public string?[] Ask(params ReadOnlySpan<string> words)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"*{words.Length}\r\n");
        foreach (string word in words)
            text.Append(CultureInfo.InvariantCulture, $"${word.Length}\r\n{word}\r\n");
        try
        {
            _stream.Write(Encoding.Latin1.GetBytes(text.ToString()));
            _stream.Flush();
            return ReadReply();
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or NullReferenceException)
        {
            throw new IOException("The connection was cut off.", e);
        }
    }

    /// <summary>Goes away as a process that is killed, whoever waits for a reply.</summary>
    public void Cut()
    {
        try
        {
            _socket.LingerState = new LingerOption(true, 0);
            _socket.Close();
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The server was faster.
        }
    }

    public void Dispose() => Cut();

    private string?[] ReadReply()
    {
        string line = ReadLine();
        int count = line[0] is '$' or '*' ? int.Parse(line.AsSpan(1), CultureInfo.InvariantCulture) : 0;
        switch (line[0])
        {
            case '+' or ':':
                return [line[1..]];
            case '$':
                return [count < 0 ? null : ReadText(count)];
            case '*':
                var values = new string?[count];
                for (int i = 0; i < count; i++)
                    values[i] = ReadReply()[0];
                return values;
            default:
                throw new InvalidOperationException($"The server answered '{line}'.");
        }
    }

    private string ReadText(int count)
    {
        byte[] bytes = new byte[count + 2];
        _stream.ReadExactly(bytes);
        return Encoding.Latin1.GetString(bytes, 0, count);
    }

    private string ReadLine()
    {
        var line = new StringBuilder();
        while (true)
        {
            int next = _stream.ReadByte();
            if (next < 0)
                throw new EndOfStreamException();
            if (next == '\n')
                return line.ToString(0, line.Length - 1);
            line.Append((char)next);
        }
    }
}
