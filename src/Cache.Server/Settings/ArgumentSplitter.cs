using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace Cache.Server.Settings;

/// <summary>Splits a line as redis.conf does: "…" with escapes, '…' without, a quote ends its word.</summary>
/// <remarks>
/// An escape is a byte. Redis (CONFIG REWRITE) writes every byte that is not ASCII as an escape, hence adjacent bytes
/// are read as UTF-8 (<see cref="OptionText"/>).
/// </remarks>
internal static class ArgumentSplitter
{
    private const string HexStart = "\\x";
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
        var bytes = new List<byte>();
        for (at++; at < line.Length; at++)
        {
            if (quote == '"' && TryReadByte(line, ref at, out byte value))
            {
                bytes.Add(value);
                continue;
            }

            AppendBytes(word, bytes);
            if (line[at] == quote)
            {
                at++;
                return at == line.Length || char.IsWhiteSpace(line[at]) ? word.ToString() : null;
            }

            bool isEscape = line[at] == '\\' && at + 1 < line.Length && (quote == '"' || line[at + 1] == '\'');
            word.Append(isEscape ? ReadEscape(line[++at]) : line[at]);
        }

        return null;
    }

    /// <summary>Reads \x and two digits, and stays on the last one.</summary>
    private static bool TryReadByte(string line, ref int at, out byte value)
    {
        value = 0;
        var rest = line.AsSpan(at);
        if (!rest.StartsWith(HexStart, StringComparison.Ordinal) || rest.Length < HexStart.Length + HexDigits)
            return false;
        var digits = rest.Slice(HexStart.Length, HexDigits);
        if (!byte.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value))
            return false;
        at += HexStart.Length + HexDigits - 1;
        return true;
    }

    private static char ReadEscape(char code) =>
        code switch { 'n' => '\n', 'r' => '\r', 't' => '\t', 'b' => '\b', 'a' => '\a', _ => code };

    private static void AppendBytes(StringBuilder word, List<byte> bytes)
    {
        if (bytes.Count > 0)
            word.Append(OptionText.FromBytes(CollectionsMarshal.AsSpan(bytes)));
        bytes.Clear();
    }
}
