using System.Globalization;
using System.Text;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Splits a line into words by the rules of Redis's sdssplitargs, written down a second time.</summary>
internal static class ReferenceWords
{
    /// <returns>Null if a quote is not closed, or is followed by anything but a space.</returns>
    public static byte[][]? Split(ReadOnlySpan<byte> line)
    {
        // C sees a NUL behind the last byte.
        string text = Encoding.Latin1.GetString(line) + '\0';
        var words = new List<byte[]>();
        int at = 0;
        while (true)
        {
            while (IsSpace(text[at]))
                at++;
            if (text[at] == '\0')
                return [.. words];
            if (ReadWord(text, ref at) is not { } word)
                return null;
            words.Add(Encoding.Latin1.GetBytes(word));
        }
    }

    private static string? ReadWord(string text, ref int at)
    {
        var word = new StringBuilder();
        while (text[at] is not (' ' or '\n' or '\r' or '\t' or '\0'))
        {
            char quote = text[at++];
            if (quote is not ('"' or '\''))
            {
                word.Append(quote);
                continue;
            }

            while (text[at] != quote)
            {
                if (text[at] == '\0')
                    return null;
                word.Append(ReadQuoted(text, quote, ref at));
            }

            at++;
            if (text[at] != '\0' && !IsSpace(text[at]))
                return null;
            return word.ToString();
        }

        return word.ToString();
    }

    private static char ReadQuoted(string text, char quote, ref int at)
    {
        char next = text[at++];
        if (next != '\\' || text[at] == '\0' || (quote == '\'' && text[at] != '\''))
            return next;
        char escaped = text[at++];
        if (quote == '\'')
            return escaped;
        if (escaped == 'x' && char.IsAsciiHexDigit(text[at]) && char.IsAsciiHexDigit(text[at + 1]))
        {
            at += 2;
            return (char)byte.Parse(text.AsSpan(at - 2, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        }

        return escaped switch { 'n' => '\n', 'r' => '\r', 't' => '\t', 'b' => '\b', 'a' => '\a', _ => escaped };
    }

    private static bool IsSpace(char value) => value is ' ' or (>= '\t' and <= '\r');
}
