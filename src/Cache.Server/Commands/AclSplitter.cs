using System.Text;
using Cache.Server.Protocol;

namespace Cache.Server.Commands;

/// <summary>Words of rules: those of a line, and those that belong together because of parentheses.</summary>
internal static class AclSplitter
{
    /// <summary>The words of a line, quoted as in requests typed by hand; null if a quote stays open.</summary>
    public static List<string>? Split(string line)
    {
        var inline = new InlineRequest();
        var ranges = new ArgumentList();
        if (!inline.TrySplit(Encoding.Latin1.GetBytes(line), ranges))
            return null;
        var words = new List<string>();
        foreach (var range in ranges.Items)
            words.Add(Encoding.Latin1.GetString(inline.Bytes.Slice(range.Offset, range.Length)));
        return words;
    }

    /// <summary>Joins the words from "(" to ")".</summary>
    /// <param name="words">Rules as they came.</param>
    /// <param name="unmatched">The word whose opening parenthesis is not closed; else null.</param>
    public static List<string> MergeSelectors(IEnumerable<string> words, out string? unmatched)
    {
        var merged = new List<string>();
        string? open = null;
        unmatched = null;
        foreach (string word in words)
        {
            if (open is null && word is not ['(', ..])
            {
                merged.Add(word);
                continue;
            }

            unmatched ??= word;
            open = open is null ? word : $"{open} {word}";
            if (open[^1] != ')')
                continue;
            merged.Add(open);
            open = unmatched = null;
        }

        return merged;
    }
}
