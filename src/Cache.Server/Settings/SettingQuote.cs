using System.Globalization;
using System.Text;

namespace Cache.Server.Settings;

/// <summary>A text as one word of a line, as Redis writes it: in quotes, with escapes; a char is a byte.</summary>
internal static class SettingQuote
{
    public static string Of(string text)
    {
        var line = new StringBuilder("\"", text.Length + 2);
        foreach (char one in text)
        {
            _ = one switch
            {
                '\\' or '"' => line.Append('\\').Append(one),
                '\n' => line.Append("\\n"),
                '\r' => line.Append("\\r"),
                '\t' => line.Append("\\t"),
                '\a' => line.Append("\\a"),
                '\b' => line.Append("\\b"),
                >= ' ' and <= '~' => line.Append(one),
                _ => line.Append(CultureInfo.InvariantCulture, $"\\x{(int)one:x2}"),
            };
        }

        return line.Append('"').ToString();
    }
}
