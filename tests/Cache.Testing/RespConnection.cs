using System.Buffers.Text;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cache.Testing;

/// <summary>A client of RESP2 over a socket: requests are sent together, replies read one by one.</summary>
/// <remarks>Used by one thread, but for <see cref="Cut"/>. The project of bench compiles it too.</remarks>
internal sealed class RespConnection : IDisposable
{
    private const int ReceiveBytes = 64 * 1024;

    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private byte[] _output = new byte[ReceiveBytes];
    private int _outputLength;
    private byte[] _input = new byte[ReceiveBytes];
    private int _inputStart;
    private int _inputEnd;

    public RespConnection(string host, int port) => _socket.Connect(host, port);

    /// <param name="endPoint">The server's.</param>
    /// <param name="patience">How long a reply may take.</param>
    public RespConnection(IPEndPoint endPoint, TimeSpan patience)
    {
        _socket.Connect(endPoint);
        _socket.ReceiveTimeout = (int)patience.TotalMilliseconds;
    }

    /// <summary>Any request, of words in which a char is a byte.</summary>
    public void Add(params ReadOnlySpan<string> words)
    {
        Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"*{words.Length}\r\n")));
        foreach (string word in words)
            WriteBulk(Encoding.Latin1.GetBytes(word));
    }

    public void AddGet(ReadOnlySpan<byte> key)
    {
        Write("*2\r\n$3\r\nGET\r\n"u8);
        WriteBulk(key);
    }

    public void AddSet(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Write("*3\r\n$3\r\nSET\r\n"u8);
        WriteBulk(key);
        WriteBulk(value);
    }

    public void AddSet(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, int expiresInMs)
    {
        Write("*5\r\n$3\r\nSET\r\n"u8);
        WriteBulk(key);
        WriteBulk(value);
        WriteBulk("PX"u8);
        Span<byte> digits = stackalloc byte[16];
        Utf8Formatter.TryFormat(expiresInMs, digits, out int length);
        WriteBulk(digits[..length]);
    }

    /// <summary>Sends what was added.</summary>
    /// <exception cref="IOException">The connection was cut off.</exception>
    public void Send()
    {
        try
        {
            for (int sent = 0; sent < _outputLength;)
                sent += _socket.Send(_output.AsSpan(sent, _outputLength - sent));
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw CutOff(e);
        }
        finally
        {
            _outputLength = 0;
        }
    }

    /// <summary>Asks, and returns the values of the reply; null for an absent one.</summary>
    /// <exception cref="IOException">The connection was cut off; the request may have taken place.</exception>
    public string?[] Ask(params ReadOnlySpan<string> words)
    {
        Add(words);
        Send();
        return ReadReply();
    }

    /// <summary>Reads the values of a reply without arrays in arrays.</summary>
    public string?[] ReadReply()
    {
        string line = Encoding.Latin1.GetString(ReadLine());
        int count = line[0] is '$' or '*' ? int.Parse(line.AsSpan(1), CultureInfo.InvariantCulture) : 0;
        switch (line[0])
        {
            case '+' or ':':
                return [line[1..]];
            case '$':
                return [count < 0 ? null : Encoding.Latin1.GetString(ReadBytes(count + 2)[..count])];
            case '*' when count < 0:
                return [null];
            case '*':
                var values = new string?[count];
                for (int i = 0; i < count; i++)
                    values[i] = ReadReply()[0];
                return values;
            default:
                throw Unexpected(Encoding.Latin1.GetBytes(line));
        }
    }

    /// <summary>Reads the reply of a GET.</summary>
    /// <param name="value">The value, until the next read.</param>
    /// <returns>False if the key is absent.</returns>
    public bool ReadValue(out ReadOnlySpan<byte> value)
    {
        var line = ReadLine();
        value = default;
        if (line.SequenceEqual("$-1"u8) || line.SequenceEqual("_"u8))
            return false;
        if (line[0] != (byte)'$' || !Utf8Parser.TryParse(line[1..], out int length, out _))
            throw Unexpected(line);
        value = ReadBytes(length + 2)[..length];
        return true;
    }

    /// <summary>Reads the reply of a SET.</summary>
    public void ReadOk()
    {
        var line = ReadLine();
        if (!line.SequenceEqual("+OK"u8))
            throw Unexpected(line);
    }

    /// <summary>Goes away as a process that is killed, whoever waits for a reply. Any thread.</summary>
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

    public void Dispose() => _socket.Dispose();

    private void WriteBulk(ReadOnlySpan<byte> bytes)
    {
        Span<byte> length = stackalloc byte[16];
        length[0] = (byte)'$';
        Utf8Formatter.TryFormat(bytes.Length, length[1..], out int digits);
        Write(length[..(digits + 1)]);
        Write("\r\n"u8);
        Write(bytes);
        Write("\r\n"u8);
    }

    private void Write(ReadOnlySpan<byte> bytes)
    {
        if (_outputLength + bytes.Length > _output.Length)
            Array.Resize(ref _output, Math.Max(_output.Length * 2, _outputLength + bytes.Length));
        bytes.CopyTo(_output.AsSpan(_outputLength));
        _outputLength += bytes.Length;
    }

    private ReadOnlySpan<byte> ReadLine()
    {
        int searched = 0;
        while (true)
        {
            var unread = _input.AsSpan(_inputStart, _inputEnd - _inputStart);
            int end = unread[searched..].IndexOf("\r\n"u8);
            if (end >= 0)
                return ReadBytes(searched + end + 2)[..^2];
            searched = Math.Max(0, unread.Length - 1);
            Receive();
        }
    }

    private ReadOnlySpan<byte> ReadBytes(int length)
    {
        while (_inputEnd - _inputStart < length)
            Receive();
        var bytes = _input.AsSpan(_inputStart, length);
        _inputStart += length;
        return bytes;
    }

    private void Receive()
    {
        _input.AsSpan(_inputStart, _inputEnd - _inputStart).CopyTo(_input);
        _inputEnd -= _inputStart;
        _inputStart = 0;
        if (_inputEnd == _input.Length)
            Array.Resize(ref _input, _input.Length * 2);
        try
        {
            int received = _socket.Receive(_input.AsSpan(_inputEnd));
            _inputEnd += received > 0 ? received : throw new EndOfStreamException("The server closed the connection.");
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw CutOff(e);
        }
    }

    private static IOException CutOff(Exception cause) => new("The connection was cut off.", cause);

    private static InvalidDataException Unexpected(ReadOnlySpan<byte> line) =>
        new($"The server replied {Encoding.Latin1.GetString(line)}");
}
