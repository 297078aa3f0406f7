using System.Globalization;
using System.Text;

namespace StandaloneServer.Configuration;

/// <summary>Splits a line as redis.conf does: "…" with escapes, '…' without, a quote ends its word.</summary>
internal static class ArgumentSplitter
{
    private const int HexDigits = 2;

    /// <returns>Null if a quote is not closed, or is followed by something other than a space.</returns>
    public static List<string>? Split(string line)
    {
        var words = new List<string>();
        int at = 0;
        while (true)
        {
            while (at < line.Length && char.IsWhiteSpace(line[at]))
                at++;
            if (at == line.Length)
                return words;
            if (ReadWord(line, ref at) is not { } word)
                return null;
            words.Add(word);
        }
    }

    private static string? ReadWord(string line, ref int at)
    {
        var word = new StringBuilder();
        for (; at < line.Length && !char.IsWhiteSpace(line[at]); at++)
        {
            if (line[at] is '"' or '\'')
                return ReadQuoted(line, ref at, word);
            word.Append(line[at]);
        }

        return word.ToString();
    }

    private static string? ReadQuoted(string line, ref int at, StringBuilder word)
    {
        char quote = line[at];
        for (at++; at < line.Length; at++)
        {
            if (line[at] == quote)
            {
                at++;
                return at == line.Length || char.IsWhiteSpace(line[at]) ? word.ToString() : null;
            }

            bool isEscape = line[at] == '\\' && at + 1 < line.Length && (quote == '"' || line[at + 1] == '\'');
            word.Append(isEscape ? ReadEscape(line, ref at) : line[at]);
        }

        return null;
    }

    private static char ReadEscape(string line, ref int at)
    {
        char code = line[++at];
        var digits = code == 'x' && at + HexDigits < line.Length ? line.AsSpan(at + 1, HexDigits) : default;
        if (byte.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out byte value))
        {
            at += HexDigits;
            return (char)value;
        }

        return code switch { 'n' => '\n', 'r' => '\r', 't' => '\t', 'b' => '\b', 'a' => '\a', _ => code };
    }
}
