using System.Globalization;
using System.Text;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Splits all that a client sent into requests, as Redis's networking.c does, simply.</summary>
/// <remarks>Written from Redis's source, not from the server's reader, which it is held against.</remarks>
internal sealed class ReferenceTokenizer
{
    private const int LineBytesMax = 64 * 1024;
    private const long BulkBytesMax = 512L << 20;

    private readonly byte[] _input;
    private int _position;

    private ReferenceTokenizer(byte[] input) => _input = input;

    /// <summary>The requests that are whole, each with its words, of which an empty one has none.</summary>
    public List<byte[][]> Requests { get; } = [];

    /// <summary>What was wrong, after which nothing more is read; null if nothing was.</summary>
    public string? Error { get; private set; }

    /// <summary>
    /// Whether a line is so long that Redis refuses it or not, depending on the pieces in which it arrives.
    /// </summary>
    public bool HasLongLine { get; private set; }

    public static ReferenceTokenizer Read(byte[] input)
    {
        var tokenizer = new ReferenceTokenizer(input);
        while (tokenizer._position < input.Length && tokenizer.ReadOne())
        {
        }

        return tokenizer;
    }

    private bool ReadOne() => _input[_position] == '*' ? ReadArray() : ReadLine();

    private bool ReadLine()
    {
        int end = Find('\n', _position);
        if (end < 0)
            return Refuse(_input.Length - _position > LineBytesMax, "too big inline request");
        HasLongLine |= end - _position >= LineBytesMax;
        int length = end > _position && _input[end - 1] == '\r' ? end - 1 - _position : end - _position;
        var words = ReferenceWords.Split(_input.AsSpan(_position, length));
        if (words is null)
            return Refuse(true, "unbalanced quotes in request");
        _position = end + 1;
        Requests.Add(words);
        return true;
    }

    private bool ReadArray()
    {
        int at = _position;
        if (!TryReadHeader(ref at, "too big mbulk count string", out string header))
            return false;
        if (!TryParse(header[1..], out long count) || count > int.MaxValue)
            return Refuse(true, "invalid multibulk length");
        var words = new List<byte[]>();
        while (words.Count < count)
        {
            if (!TryReadHeader(ref at, "too big bulk count string", out header))
                return false;
            if (header.Length == 0 || header[0] != '$')
                return Refuse(true, $"expected '$', got '{(header.Length == 0 ? '\r' : header[0])}'");
            if (!TryParse(header[1..], out long length) || length is < 0 or > BulkBytesMax)
                return Refuse(true, "invalid bulk length");
            if (_input.Length - at < length + 2)
                return false;
            words.Add(_input[at..(at + (int)length)]);
            at += (int)length + 2;
        }

        _position = at;
        Requests.Add([.. words]);
        return true;
    }

    // From the present place to before its CR; the two bytes of the line's end are skipped unread.
    private bool TryReadHeader(ref int at, string tooLong, out string header)
    {
        int end = Find('\r', at);
        header = "";
        if (end < 0)
            return Refuse(_input.Length - at > LineBytesMax, tooLong);
        if (end + 2 > _input.Length)
            return false;
        HasLongLine |= end - at >= LineBytesMax;
        header = Encoding.Latin1.GetString(_input, at, end - at);
        at = end + 2;
        return true;
    }

    // As C's strchr, which a NUL ends.
    private int Find(char wanted, int from)
    {
        for (int i = from; i < _input.Length; i++)
        {
            if (_input[i] == wanted)
                return i;
            if (_input[i] == 0)
                return -1;
        }

        return -1;
    }

    private bool Refuse(bool isWrong, string error)
    {
        if (isWrong)
            Error = error;
        return false;
    }

    // As Redis's string2ll: nothing but the canonical form.
    private static bool TryParse(string text, out long value) =>
        long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value)
        && text == value.ToString(CultureInfo.InvariantCulture);
}
