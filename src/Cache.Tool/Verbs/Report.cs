using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace Cache.Tool.Verbs;

/// <summary>Lines for a person, who may read them on a terminal.</summary>
/// <remarks>
/// Names of files, and texts in them, may come from anybody: characters that could command a terminal, change the
/// direction of the text, or begin a line that looks like a verdict, are printed by their numbers.
/// </remarks>
internal sealed class Report(TextWriter writer)
{
    /// <summary>Whether a person looks at it as it is written.</summary>
    public bool IsTerminal { get; init; }

    public void Line(string text = "") => writer.WriteLine(Harmless(text));

    public void Line(ref DefaultInterpolatedStringHandler text) =>
        Line(string.Create(CultureInfo.InvariantCulture, ref text));

    /// <summary>What a rule of the doctor has found, and what to do.</summary>
    public void Finding(string severity, string rule, string sentence, string advice)
    {
        Line($"{severity.ToUpperInvariant(),-8}  {sentence} ({rule})");
        Line($"          {advice}");
    }

    /// <summary>Several lines of a text that this program has made.</summary>
    public void Text(string lines)
    {
        foreach (string line in lines.Split('\n'))
            Line(line);
    }

    /// <summary>A text without what commands a terminal.</summary>
    public static string Harmless(string text)
    {
        if (!text.Any(IsHarmful))
            return text;
        var harmless = new StringBuilder();
        foreach (char next in text)
        {
            if (IsHarmful(next))
                harmless.Append(CultureInfo.InvariantCulture, $"\\u{(int)next:x4}");
            else
                harmless.Append(next);
        }

        return harmless.ToString();
    }

    // Unpaired surrogates too: they are of no text.
    private static bool IsHarmful(char one) => char.GetUnicodeCategory(one)
        is UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;
}
