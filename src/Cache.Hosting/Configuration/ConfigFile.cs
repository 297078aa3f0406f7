using System.Text;
using Cache.Server.Settings;

namespace Cache.Hosting.Configuration;

/// <summary>A file in the form of redis.conf: a directive a line, # for comments, include for other files.</summary>
internal static class ConfigFile
{
    // Stops a file that includes itself.
    private const int IncludeDepthMax = 8;

    /// <param name="path">The file.</param>
    /// <param name="problems">Receives each error with its file and line.</param>
    /// <param name="opened">Where its bytes are read, if it is open already; null: there.</param>
    public static List<Setting> Read(string path, List<string> problems, string? opened = null)
    {
        var settings = new List<Setting>();
        Read(path, ReadLines(opened ?? path, "", problems), "", settings, problems, depth: 0);
        return settings;
    }

    private static void Read(
        string path, string[] lines, string from, List<Setting> settings, List<string> problems, int depth)
    {
        int number = 0;
        if (Array.Find(lines, static line => line.AsSpan().Trim().Length > 0)?.TrimStart().StartsWith('{') == true)
        {
            problems.Add($"{from}{path} looks like JSON: give it by --config-json.");
            return;
        }

        foreach (string line in lines)
        {
            string origin = $"{path}, line {++number}";
            string text = line.Trim();
            if (text.Length == 0 || text.StartsWith('#'))
                continue;
            if (ArgumentSplitter.Split(text) is not [var name, .. var values])
                problems.Add($"{origin}: a quote is not closed, or not followed by a space.");
            else if (!name.Equals("include", StringComparison.OrdinalIgnoreCase))
                settings.Add(new Setting(name, values, origin));
            else if (values is not [var included])
                problems.Add($"{origin}: include needs one path.");
            else if (depth == IncludeDepthMax)
                problems.Add($"{origin}: files include each other more than {IncludeDepthMax} deep.");
            else
                foreach (string file in Expand(
                    Path.Combine(Path.GetDirectoryName(path) ?? "", included), $"{origin}: ", problems))
                    Read(
                        file, ReadLines(file, $"{origin}: ", problems), $"{origin}: ", settings, problems, depth + 1);
        }
    }

    // As in Redis, a pattern without a match is not an error: a folder for more files may be empty.
    private static IEnumerable<string> Expand(string path, string from, List<string> problems)
    {
        string name = Path.GetFileName(path);
        if (name.AsSpan().IndexOfAny('*', '?') < 0)
            return [path];
        string folder = Path.GetDirectoryName(path) is { Length: > 0 } parent ? parent : ".";
        try
        {
            return Directory.Exists(folder) ? Directory.GetFiles(folder, name).Order(StringComparer.Ordinal) : [];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            problems.Add($"{from}The folder cannot be read: {e.Message}");
            return [];
        }
    }

    private static string[] ReadLines(string path, string from, List<string> problems)
    {
        try
        {
            byte[] bytes = File.ReadAllBytes(path);
            return IsUtf16(bytes) ? File.ReadAllLines(path) : Split(bytes);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            string reason = Directory.Exists(path) ? $"'{path}' is a folder." : e.Message;
            problems.Add($"{from}The configuration file cannot be read: {reason}");
            return [];
        }
    }

    // By the byte order mark, which some editors on Windows write.
    private static bool IsUtf16(ReadOnlySpan<byte> bytes) => bytes is [0xFF, 0xFE, ..] or [0xFE, 0xFF, ..];

    private static string[] Split(ReadOnlySpan<byte> bytes)
    {
        var lines = new List<string>();
        var text = bytes.StartsWith(Encoding.UTF8.Preamble) ? bytes[Encoding.UTF8.Preamble.Length..] : bytes;
        using var reader = new StringReader(OptionText.FromBytes(text));
        while (reader.ReadLine() is { } line)
            lines.Add(line);
        return [.. lines];
    }
}
