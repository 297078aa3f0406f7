using System.Globalization;
using System.Text;

namespace Cache.Server.Tests.Commands;

/// <summary>A request and the replies that Redis gave, as a line of Recorded/*.tsv states them.</summary>
/// <param name="Line">The line's number in its file, from 1.</param>
/// <param name="Words">The request; a char is a byte.</param>
/// <param name="Resp2">The reply in RESP2, escaped.</param>
/// <param name="Resp3">The reply in RESP3, escaped.</param>
internal sealed record RecordedReply(int Line, string[] Words, string Resp2, string Resp3)
{
    /// <summary>The paragraphs of a file; each begins with an empty server.</summary>
    public static IEnumerable<List<RecordedReply>> ReadParagraphs(string file)
    {
        using var stream = typeof(RecordedReply).Assembly.GetManifestResourceStream($"Recorded.{file}.tsv")
            ?? throw new InvalidOperationException($"No recorded replies are named {file}.");
        using var reader = new StreamReader(stream, Encoding.ASCII);
        var paragraph = new List<RecordedReply>();
        int number = 0;
        while (reader.ReadLine() is { } line)
        {
            number++;
            if (line.Length == 0)
            {
                yield return paragraph;
                paragraph = [];
            }
            else if (!line.StartsWith('#'))
            {
                paragraph.Add(Parse(number, line));
            }
        }

        yield return paragraph;
    }

    /// <summary>A reply in the form that the files have.</summary>
    public static string Escape(byte[] reply)
    {
        var text = new StringBuilder();
        foreach (byte b in reply)
        {
            _ = b switch
            {
                (byte)'\r' => text.Append("\\r"),
                (byte)'\n' => text.Append("\\n"),
                (byte)'\\' => text.Append("\\\\"),
                >= 0x20 and < 0x7f => text.Append((char)b),
                _ => text.Append(CultureInfo.InvariantCulture, $"\\x{b:x2}"),
            };
        }

        return text.ToString();
    }

    private static RecordedReply Parse(int number, string line)
    {
        string[] columns = line.Split('\t');
        return new RecordedReply(number, [.. columns[0].Split(' ').Select(Unescape)], columns[1], columns[^1]);
    }

    private static string Unescape(string word)
    {
        if (word == "''")
            return "";
        var text = new StringBuilder();
        for (int i = 0; i < word.Length; i++)
        {
            if (word[i] != '\\' || word[++i] == '\\')
            {
                text.Append(word[i]);
                continue;
            }

            text.Append((char)Convert.ToByte(word.Substring(i + 1, 2), 16));
            i += 2;
        }

        return text.ToString();
    }
}
