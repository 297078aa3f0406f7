using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cache.Server.Tests.Tracking;

/// <summary>A client of RESP3 that caches what it reads, and drops what it is told of. Used by one thread.</summary>
internal sealed class CachingClient : IDisposable
{
    private const int ReceiveBytes = 64 * 1024;

    // What takes so long on the slowest machine does not happen.
    private const int PatienceMs = 60_000;

    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private byte[] _input = new byte[ReceiveBytes];
    private int _start;
    private int _end;

    public CachingClient(EndPoint server)
    {
        _socket.ReceiveTimeout = PatienceMs;
        _socket.Connect(server);
        Call("HELLO", "3");
    }

    /// <summary>The versions that it has cached, by key.</summary>
    public Dictionary<string, long> Cache { get; } = [];

    /// <summary>How many keys it was told of.</summary>
    public long Told { get; private set; }

    /// <summary>Sends a request, and reads what comes up to its reply.</summary>
    public string? Call(params string[] words)
    {
        Send(words);
        return Receive();
    }

    /// <summary>Sends a request.</summary>
    public void Send(params string[] words)
    {
        var text = new StringBuilder($"*{words.Length}\r\n");
        foreach (string word in words)
            text.Append(CultureInfo.InvariantCulture, $"${word.Length}\r\n{word}\r\n");
        byte[] bytes = Encoding.Latin1.GetBytes(text.ToString());
        for (int sent = 0; sent < bytes.Length;)
            sent += _socket.Send(bytes.AsSpan(sent));
    }

    /// <summary>Reads messages up to a reply, and that; of several elements joined by blanks.</summary>
    public string? Receive()
    {
        while (true)
        {
            char kind = (char)_input[EnsureByte()];
            string? value = ReadValue();
            if (kind != '>')
                return value;
            Drop(value!);
        }
    }

    public void Dispose() => _socket.Dispose();

    private void Drop(string message)
    {
        string[] words = message.Split(' ');
        Assert.Equal("invalidate", words[0]);
        Told += words.Length - 1;
        if (words[1].Length == 0)
            Cache.Clear();
        foreach (string key in words[1..])
            Cache.Remove(key);
    }

    private string? ReadValue()
    {
        string line = ReadLine();
        switch (line[0])
        {
            case '+' or ':':
                return line[1..];
            case '_':
                return null;
            case '$':
                int length = int.Parse(line[1..], CultureInfo.InvariantCulture);
                EnsureBytes(length + 2);
                string text = Encoding.Latin1.GetString(_input, _start, length);
                _start += length + 2;
                return text;
            case '*' or '>' or '%':
                int count = int.Parse(line[1..], CultureInfo.InvariantCulture) * (line[0] == '%' ? 2 : 1);
                return string.Join(' ', Enumerable.Range(0, count).Select(_ => ReadValue()));
            default:
                throw new InvalidDataException(line);
        }
    }

    private string ReadLine()
    {
        int length;
        for (int searched = 0; (length = _input.AsSpan(_start, _end - _start)[searched..].IndexOf((byte)'\n')) < 0;)
            EnsureBytes(_end - _start + 1);
        string line = Encoding.Latin1.GetString(_input, _start, length - 1);
        _start += length + 1;
        return line;
    }

    private int EnsureByte()
    {
        EnsureBytes(1);
        return _start;
    }

    private void EnsureBytes(int count)
    {
        while (_end - _start < count)
        {
            if (_start > 0)
            {
                _input.AsSpan(_start, _end - _start).CopyTo(_input);
                (_start, _end) = (0, _end - _start);
            }

            if (_end == _input.Length)
                Array.Resize(ref _input, _input.Length * 2);
            int received = _socket.Receive(_input.AsSpan(_end));
            if (received == 0)
                throw new IOException("The server closed the connection.");
            _end += received;
        }
    }
}
