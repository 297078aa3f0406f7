using System.Globalization;
using System.Text;

namespace Cache.Tool.Client;

/// <summary>Reads replies of RESP version 2 from a stream. What it is told of lengths is bounded.</summary>
/// <param name="stream">The stream.</param>
/// <param name="bytesMax">The longest text.</param>
internal sealed class ReplyReader(Stream stream, int bytesMax = ReplyReader.BytesMax)
{
    // More than CACHE PACKAGE, CLIENT LIST of all clients, or a page of keys has.
    public const int BytesMax = 64 << 20;
    private const int ItemsMax = 1 << 20;
    private const int DepthMax = 8;
    private const int LineLengthMax = 1 << 16;

    private readonly byte[] _buffer = new byte[1 << 16];
    private int _start;
    private int _end;

    /// <exception cref="InvalidDataException">It is no reply, or one beyond the bounds.</exception>
    /// <exception cref="EndOfStreamException">The server has closed the connection.</exception>
    public Reply Read() => Read(0);

    private Reply Read(int depth)
    {
        string line = ReadLine();
        if (line.Length == 0)
            throw new InvalidDataException("The server sent an empty line.");
        return line[0] switch
        {
            '+' => Reply.OfText(ReplyKind.Text, Encoding.Latin1.GetBytes(line[1..])),
            '-' => Reply.OfText(ReplyKind.Error, Encoding.Latin1.GetBytes(line[1..])),
            ':' => new Reply(ReplyKind.Number, [], NumberIn(line), []),
            '$' => ReadBulk(NumberIn(line)),
            '*' => ReadList(NumberIn(line), depth),
            _ => throw new InvalidDataException("The server's reply is not of RESP 2: is it a Redis port?"),
        };
    }

    private Reply ReadBulk(long length)
    {
        if (length < 0)
            return Reply.Null;
        if (length > bytesMax)
            throw new InvalidDataException($"A reply of {length} bytes is too long; the limit is {bytesMax}.");
        byte[] bytes = new byte[length];
        for (int filled = 0; filled < bytes.Length;)
        {
            if (_start == _end)
                Fill();
            int count = Math.Min(_end - _start, bytes.Length - filled);
            _buffer.AsSpan(_start, count).CopyTo(bytes.AsSpan(filled));
            _start += count;
            filled += count;
        }

        if (ReadLine().Length > 0)
            throw new InvalidDataException("A reply is longer than it says.");
        return Reply.OfText(ReplyKind.Text, bytes);
    }

    private Reply ReadList(long count, int depth)
    {
        if (count < 0)
            return Reply.Null;
        if (count > ItemsMax || depth == DepthMax)
            throw new InvalidDataException($"A list of {count} replies is too long, or in too many others.");
        var items = new List<Reply>();
        for (long i = 0; i < count; i++)
            items.Add(Read(depth + 1));
        return new Reply(ReplyKind.List, [], 0, items);
    }

    private static long NumberIn(string line) =>
        long.TryParse(line.AsSpan(1), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number)
            ? number
            : throw new InvalidDataException("A number of the server's reply is none.");

    private string ReadLine()
    {
        var line = new StringBuilder();
        while (true)
        {
            if (_start == _end)
                Fill();
            var rest = _buffer.AsSpan(_start, _end - _start);
            int end = rest.IndexOf((byte)'\n');
            line.Append(Encoding.Latin1.GetString(end < 0 ? rest : rest[..end]));
            _start += end < 0 ? rest.Length : end + 1;
            if (line.Length > LineLengthMax)
                throw new InvalidDataException("A line of the server's reply is too long.");
            if (end >= 0)
                return line.Length > 0 && line[^1] == '\r' ? line.ToString(0, line.Length - 1) : line.ToString();
        }
    }

    private void Fill()
    {
        _start = 0;
        _end = stream.Read(_buffer);
        if (_end == 0)
            throw new EndOfStreamException("The server has closed the connection.");
    }
}
