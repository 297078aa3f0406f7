using System.Text;

namespace Cache.Dashboard.Data;

/// <summary>Bytes as people read them: text if they are text, else with escapes, as redis-cli shows them.</summary>
internal static class KeyText
{
    private static readonly UTF8Encoding _strict = new(
        encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public static string Of(ReadOnlySpan<byte> bytes)
    {
        try
        {
            string text = _strict.GetString(bytes);
            if (!text.Any(char.IsControl))
                return text;
        }
        catch (DecoderFallbackException)
        {
            // Shown by escapes.
        }

        var escaped = new StringBuilder();
        foreach (byte one in bytes)
        {
            if (one is >= (byte)' ' and < 0x7F and not (byte)'\\')
                escaped.Append((char)one);
            else
                escaped.Append(System.Globalization.CultureInfo.InvariantCulture, $"\\x{one:x2}");
        }

        return escaped.ToString();
    }
}
