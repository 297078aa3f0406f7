using System.Diagnostics;

namespace Cache.Server.Protocol;

/// <summary>
/// A request typed as a line: words between spaces, with quotes and escapes, unescaped into memory of its own.
/// </summary>
/// <remarks>The rules are those of Redis's <c>sdssplitargs</c>, which users of telnet rely on.</remarks>
internal sealed class InlineRequest
{
    private byte[] _bytes = [];
    private int _length;

    /// <summary>The words' bytes, to which the ranges of <see cref="TrySplit"/> refer.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes.AsSpan(0, _length);

    /// <summary>Splits a line, its line end excluded.</summary>
    /// <returns>False if a quote stays open, or text follows a closing quote directly.</returns>
    public bool TrySplit(ReadOnlySpan<byte> line, ArgumentList words)
    {
        if (_bytes.Length < line.Length)
            _bytes = new byte[Math.Max(line.Length, 256)];
        _length = 0;
        int at = 0;
        while (true)
        {
            while (at < line.Length && IsSpace(line[at]))
                at++;
            if (at == line.Length)
                return true;
            int start = _length;
            if (!TryReadWord(line, ref at))
                return false;
            words.Add(new ArgumentRange(start, _length - start));
        }
    }

    /// <summary>Gives the memory of a long line back.</summary>
    public void Trim(int bytesMax)
    {
        if (_bytes.Length > bytesMax)
            _bytes = [];
        _length = 0;
    }

    private bool TryReadWord(ReadOnlySpan<byte> line, ref int at)
    {
        while (at < line.Length && !EndsWord(line[at]))
        {
            byte quote = line[at++];
            if (quote is not ((byte)'"' or (byte)'\''))
            {
                Put(quote);
                continue;
            }

            if (!TryReadQuoted(line, quote, ref at))
                return false;
            return at == line.Length || IsSpace(line[at]);
        }

        return true;
    }

    private bool TryReadQuoted(ReadOnlySpan<byte> line, byte quote, ref int at)
    {
        Debug.Assert(quote is (byte)'"' or (byte)'\'');
        while (at < line.Length)
        {
            byte next = line[at++];
            if (next == quote)
                return true;
            if (next != '\\' || at == line.Length)
                Put(next);
            else if (quote == '\'')
                ReadSingleQuotedEscape(line, ref at);
            else
                ReadEscape(line, ref at);
        }

        return false;
    }

    private void ReadSingleQuotedEscape(ReadOnlySpan<byte> line, ref int at)
    {
        Debug.Assert(at < line.Length, "A backslash that ends the line is none.");
        if (line[at] == '\'')
            Put(line[at++]);
        else
            Put((byte)'\\');
    }

    private void ReadEscape(ReadOnlySpan<byte> line, ref int at)
    {
        Debug.Assert(at < line.Length, "A backslash that ends the line is none.");
        byte escaped = line[at++];
        if (escaped == 'x' && at + 2 <= line.Length
            && char.IsAsciiHexDigit((char)line[at]) && char.IsAsciiHexDigit((char)line[at + 1]))
        {
            Put((byte)((HexValue(line[at]) << 4) | HexValue(line[at + 1])));
            at += 2;
            return;
        }

        Put(escaped switch
        {
            (byte)'n' => (byte)'\n',
            (byte)'r' => (byte)'\r',
            (byte)'t' => (byte)'\t',
            (byte)'b' => (byte)'\b',
            (byte)'a' => (byte)'\a',
            _ => escaped,
        });
    }

    private void Put(byte value)
    {
        Debug.Assert(_length < _bytes.Length, "A word is never longer unescaped than it was in the line.");
        _bytes[_length++] = value;
    }

    private static int HexValue(byte digit) => digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;

    // Not all that are skipped between words: a vertical tab or a form feed within a word is part of it.
    private static bool EndsWord(byte value) => value is (byte)' ' or (byte)'\t' or (byte)'\n' or (byte)'\r';

    // C's isspace.
    private static bool IsSpace(byte value) => value is (byte)' ' or (>= (byte)'\t' and <= (byte)'\r');
}
