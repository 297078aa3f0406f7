using System.Globalization;
using System.Text;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Reads the replies that a server sent, and accepts nothing but RESP.</summary>
internal sealed class ReplyScanner
{
    // The server's replies are lists of lists of lists at the most.
    private const int DepthMax = 16;

    private readonly byte[] _bytes;
    private readonly bool _takesVersion3;
    private int _position;

    private ReplyScanner(byte[] bytes, bool takesVersion3)
    {
        _bytes = bytes;
        _takesVersion3 = takesVersion3;
    }

    public int Replies { get; private set; }

    /// <summary>Where each reply ends, pushes included.</summary>
    public List<int> Ends { get; } = [];

    /// <summary>Whether the last reply has not come to its end.</summary>
    public bool IsCut { get; private set; }

    /// <summary>Counts replies; out-of-band pushes are none.</summary>
    /// <exception cref="FuzzFailureException">The bytes are not replies of the protocol.</exception>
    public static ReplyScanner Scan(byte[] bytes, bool takesVersion3)
    {
        var scanner = new ReplyScanner(bytes, takesVersion3);
        try
        {
            while (scanner._position < bytes.Length)
            {
                bool isPush = bytes[scanner._position] == '>';
                scanner.Skip(0);
                scanner.Replies += isPush ? 0 : 1;
                scanner.Ends.Add(scanner._position);
            }
        }
        catch (EndOfStreamException)
        {
            scanner.IsCut = true;
        }

        return scanner;
    }

    private void Skip(int depth)
    {
        int start = _position;
        string line = ReadLine();
        Require(line.Length > 0 && depth <= DepthMax, start);
        Require(_takesVersion3 || "+-:$*".Contains(line[0]), start);
        string rest = line[1..];
        switch (line[0])
        {
            case '+':
                break;
            case '-':
                Require(rest.Length > 0 && !rest.StartsWith("ERR internal error", StringComparison.Ordinal), start);
                break;
            case ':':
                Require(long.TryParse(rest, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out _), start);
                break;
            case '$' or '!' or '=':
                SkipBulk(LengthOf(rest, start), start);
                break;
            case '*' or '~' or '>':
                SkipMany(LengthOf(rest, start), depth);
                break;
            case '%' or '|':
                SkipMany(2 * LengthOf(rest, start), depth);
                break;
            case '_':
                Require(rest.Length == 0, start);
                break;
            case '#':
                Require(rest is "t" or "f", start);
                break;
            case ',' or '(':
                Require(rest.Length > 0, start);
                break;
            default:
                Require(false, start);
                break;
        }
    }

    private void SkipMany(long count, int depth)
    {
        for (long i = 0; i < count; i++)
            Skip(depth + 1);
    }

    private void SkipBulk(long length, int start)
    {
        if (length < 0)
            return;
        if (_bytes.Length - _position < length + 2)
            throw new EndOfStreamException();
        _position += (int)length + 2;
        Require(_bytes[_position - 2] == '\r' && _bytes[_position - 1] == '\n', start);
    }

    private string ReadLine()
    {
        int end = Array.IndexOf(_bytes, (byte)'\n', _position);
        if (end < 0)
            throw new EndOfStreamException();
        Require(end > _position && _bytes[end - 1] == '\r', _position);
        string line = Encoding.Latin1.GetString(_bytes, _position, end - 1 - _position);
        Require(!line.Contains('\r'), _position);
        _position = end + 1;
        return line;
    }

    private long LengthOf(string text, int start)
    {
        var culture = CultureInfo.InvariantCulture;
        bool isNumber = long.TryParse(text, NumberStyles.AllowLeadingSign, culture, out long length);
        Require(isNumber && length >= -1, start);
        return length;
    }

    private void Require(bool holds, int start)
    {
        if (holds)
            return;
        int length = Math.Min(80, _bytes.Length - start);
        throw new FuzzFailureException(
            $"Not a reply, at byte {start} of {_bytes.Length}: {FuzzText.Escape(_bytes.AsSpan(start, length))}");
    }
}
