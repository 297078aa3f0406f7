using System.Text;
using Cache.Server.Protocol;

namespace Cache.Server.Scripts;

/// <summary>The first line of a library: <c>#!lua name=mylib</c>.</summary>
/// <param name="Length">Its length, without its end.</param>
/// <param name="Name">The name of the library.</param>
internal readonly record struct LibraryHeader(int Length, string Name)
{
    // No line of sense is longer; errors show words of it.
    private const int LengthMax = 4096;

    private const string NameOption = "name=";

    /// <summary>Reads it.</summary>
    /// <param name="code">The text of the library.</param>
    /// <param name="header">The first line, if it is right.</param>
    /// <returns>The error, without its code; null: it is right.</returns>
    public static string? Read(ReadOnlySpan<byte> code, out LibraryHeader header)
    {
        header = default;
        if (!code.StartsWith("#!"u8))
            return "Missing library metadata";
        int end = code.IndexOf((byte)'\n');
        var words = new List<string>();
        if (end is < 0 or > LengthMax || !TrySplit(code[..end], words) || words.Count == 0)
            return "Invalid library metadata";
        string? name = null;
        foreach (string word in words.Skip(1))
        {
            if (!word.StartsWith(NameOption, StringComparison.OrdinalIgnoreCase))
                return $"Invalid metadata value given: {word}";
            if (name is not null)
                return "Invalid metadata value, name argument was given multiple times";
            name = word[NameOption.Length..];
        }

        if (name is null)
            return "Library name was not given";
        if (!IsName(name))
            return "Library names can only contain letters, numbers, or underscores(_) and must be at least one "
                + "character long";
        string engine = words[0][2..];
        if (!engine.Equals("lua", StringComparison.OrdinalIgnoreCase))
            return $"Engine '{engine}' not found";
        header = new LibraryHeader(end, name);
        return null;
    }

    // As a line that is typed. Redis's own is a text of C, which ends at a zero byte: then the line has no end.
    private static bool TrySplit(ReadOnlySpan<byte> line, List<string> words)
    {
        var split = new InlineRequest();
        var ranges = new ArgumentList();
        if (line.Contains((byte)0) || !split.TrySplit(line, ranges))
            return false;
        foreach (var range in ranges.Items)
            words.Add(Encoding.Latin1.GetString(split.Bytes.Slice(range.Offset, range.Length)));
        return true;
    }

    private static bool IsName(string name) =>
        name.Length > 0 && name.All(static c => char.IsAsciiLetterOrDigit(c) || c == '_');
}
