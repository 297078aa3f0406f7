using System.Diagnostics;

namespace Cache.Protocol;

/// <summary>Reads what a server sends, token by token: types, nesting and order are the caller's.</summary>
/// <remarks>
/// Algorithm: a line up to CR LF, and for a bulk the declared bytes behind it. Nothing is kept between attempts, so
/// that the caller may move the bytes. A declared length sizes no memory here; the caller learns how long the input
/// must be. The server is not trusted: each line and length has a bound, and each bulk ends with CR LF or is refused.
/// Streamed strings and aggregates of RESP3 ("$?") are refused: no server sends them. Stateless.
/// </remarks>
internal static class RespTokenReader
{
    /// <summary>The longest line; errors with the text of a script are long.</summary>
    public const int LineBytesMax = 64 * 1024;

    // Above the items of any array that memory allows; a count never sizes memory.
    private const long CountMax = int.MaxValue;

    private const int LineEndBytes = 2;

    /// <summary>Reads the token at the beginning of the input.</summary>
    /// <param name="input">The bytes from the token's first one on.</param>
    /// <param name="bulkBytesMax">The longest bulk that the caller takes.</param>
    /// <param name="token">The token, after Complete.</param>
    /// <param name="length">
    /// After Complete, the bytes of the token; after Incomplete, another attempt is pointless with a shorter input.
    /// </param>
    public static RespTokenStatus TryRead(
        ReadOnlySpan<byte> input, int bulkBytesMax, out RespToken token, out int length)
    {
        token = default;
        length = input.Length + 1;
        int end = input.IndexOf((byte)'\n');
        if (end < 0)
            return input.Length > LineBytesMax ? RespTokenStatus.Malformed : RespTokenStatus.Incomplete;
        if (end < LineEndBytes || end > LineBytesMax || input[end - 1] != '\r')
            return RespTokenStatus.Malformed;
        var line = input[1..(end - 1)];
        length = end + 1;
        var type = (RespType)input[0];
        return type switch
        {
            RespType.SimpleString or RespType.Error or RespType.Double or RespType.BigNumber =>
                Complete(new RespToken(type, line), out token),
            RespType.Integer => ReadNumber(type, line, out token),
            RespType.Bulk or RespType.BulkError or RespType.Verbatim =>
                ReadBulk(type, input, line, bulkBytesMax, out token, ref length),
            RespType.Null => line.IsEmpty ? Complete(new RespToken(type, 0), out token) : RespTokenStatus.Malformed,
            RespType.Boolean => ReadBoolean(line, out token),
            RespType.Array or RespType.Map or RespType.Set or RespType.Push or RespType.Attribute =>
                ReadCount(type, line, out token),
            _ => RespTokenStatus.Malformed,
        };
    }

    private static RespTokenStatus ReadNumber(RespType type, ReadOnlySpan<byte> line, out RespToken token)
    {
        token = default;
        return RespInteger.TryParse(line, out long number)
            ? Complete(new RespToken(type, number), out token)
            : RespTokenStatus.Malformed;
    }

    private static RespTokenStatus ReadBoolean(ReadOnlySpan<byte> line, out RespToken token)
    {
        token = default;
        return line.Length == 1 && line[0] is (byte)'t' or (byte)'f'
            ? Complete(new RespToken(RespType.Boolean, line[0] == 't' ? 1 : 0), out token)
            : RespTokenStatus.Malformed;
    }

    private static RespTokenStatus ReadBulk(
        RespType type,
        ReadOnlySpan<byte> input,
        ReadOnlySpan<byte> line,
        int bulkBytesMax,
        out RespToken token,
        scoped ref int length)
    {
        Debug.Assert(length <= input.Length);
        token = default;
        if (!RespInteger.TryParse(line, out long bytes) || bytes < -1 || bytes > bulkBytesMax)
            return RespTokenStatus.Malformed;
        if (bytes < 0)
            return type == RespType.Bulk
                ? Complete(new RespToken(RespType.Null, 0), out token)
                : RespTokenStatus.Malformed;
        int start = length;
        if (start > int.MaxValue - LineEndBytes - bytes)
            return RespTokenStatus.Malformed;
        int end = start + (int)bytes;
        length = end + LineEndBytes;
        if (input.Length < length)
            return RespTokenStatus.Incomplete;
        if (input[end] != '\r' || input[end + 1] != '\n')
            return RespTokenStatus.Malformed;
        var text = input[start..end];
        return Complete(new RespToken(type, type == RespType.Verbatim ? WithoutFormat(text) : text), out token);
    }

    // "txt:" or "mkd:"; three letters and a colon in any case.
    private static ReadOnlySpan<byte> WithoutFormat(ReadOnlySpan<byte> text) =>
        text.Length >= 4 && text[3] == ':' ? text[4..] : text;

    private static RespTokenStatus ReadCount(RespType type, ReadOnlySpan<byte> line, out RespToken token)
    {
        token = default;
        if (!RespInteger.TryParse(line, out long count) || count < -1 || count > CountMax)
            return RespTokenStatus.Malformed;
        if (count < 0)
            return type == RespType.Array
                ? Complete(new RespToken(RespType.Null, 0), out token)
                : RespTokenStatus.Malformed;
        bool hasPairs = type is RespType.Map or RespType.Attribute;
        return Complete(new RespToken(type, hasPairs ? count * 2 : count), out token);
    }

    private static RespTokenStatus Complete(RespToken read, out RespToken token)
    {
        token = read;
        return RespTokenStatus.Complete;
    }
}
