using System.Text;
using Cache.Server.Protocol;

namespace Cache.Server.Security;

/// <summary>Splits a line into the words of rules, and joins words in parentheses.</summary>
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
    /// <param name="unmatched">The last word whose opening parenthesis is not closed; else null.</param>
    public static List<string> MergeSelectors(IEnumerable<string> words, out string? unmatched)
    {
        var merged = new List<string>();
        var open = new StringBuilder();
        unmatched = null;
        foreach (string word in words)
        {
            if (word is ['(', .., not ')'] or "(")
            {
                unmatched = word; // As in Redis: an earlier open parenthesis is forgotten.
                open.Clear().Append(word);
            }
            else if (unmatched is null)
            {
                merged.Add(word);
            }
            else
            {
                open.Append(' ').Append(word);
                if (word is not [.., ')'])
                    continue;
                merged.Add(open.ToString());
                unmatched = null;
            }
        }

        return merged;
    }
}
