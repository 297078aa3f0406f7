using System.Globalization;
using System.Text;

namespace Cache.Server.Tests.Commands;

/// <summary>What several clients do in turn; eng/commands/record-sessions.py describes the files.</summary>
internal sealed record RecordedSession(string Title, IReadOnlyList<RecordedSession.Step> Steps)
{
    /// <summary>The sessions of a file.</summary>
    public static IReadOnlyList<RecordedSession> ReadAll(string file)
    {
        string name = $"Cache.Server.Tests.Commands.Sessions.{file}.tsv";
        using var stream = typeof(RecordedSession).Assembly.GetManifestResourceStream(name)
            ?? throw new InvalidOperationException($"The test has no resource {name}.");
        using var reader = new StreamReader(stream);
        var sessions = new List<RecordedSession>();
        var steps = new List<Step>();
        while (reader.ReadLine() is { } line)
        {
            if (line.StartsWith("== ", StringComparison.Ordinal))
                sessions.Add(new RecordedSession(line[3..], steps = []));
            else if (line.Length > 0 && line[0] != '#')
                steps.Add(ToStep(line.Split('\t')));
        }

        return sessions;
    }

    /// <summary>The text in the form of the file; a char is a byte.</summary>
    public static string Escape(string text)
    {
        var escaped = new StringBuilder();
        foreach (char letter in text)
        {
            escaped.Append(letter switch
            {
                '\\' => "\\\\",
                '\r' => "\\r",
                '\n' => "\\n",
                '\t' => "\\t",
                < ' ' or > '~' => string.Create(CultureInfo.InvariantCulture, $"\\x{(int)letter:x2}"),
                _ => letter.ToString(),
            });
        }

        return escaped.ToString();
    }

    private static Step ToStep(string[] fields) =>
        new(fields[0], fields[1], [.. fields[1].Split(' ').Select(Unescape)], fields[2]);

    private static string Unescape(string word)
    {
        var text = new StringBuilder();
        for (int i = 0; i < word.Length; i++)
        {
            if (word[i] != '\\')
            {
                text.Append(word[i]);
            }
            else if (word[++i] == 'x')
            {
                text.Append((char)Convert.ToByte(word.Substring(i + 1, 2), 16));
                i += 2;
            }
            else
            {
                text.Append(Unescape(word[i]));
            }
        }

        return text.ToString();
    }

    private static char Unescape(char letter) => letter switch
    {
        's' => ' ',
        'r' => '\r',
        'n' => '\n',
        't' => '\t',
        '0' => '\0',
        _ => letter,
    };

    internal sealed record Step(string Client, string Command, string[] Arguments, string Reply);
}
