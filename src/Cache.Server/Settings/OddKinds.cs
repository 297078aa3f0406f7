using System.Globalization;

namespace Cache.Server.Settings;

/// <summary>Kinds of values that only a few of Redis's directives have.</summary>
internal static class OddKinds
{
    private const int HostNameMax = 255;
    private const int OomScoreCount = 3;
    private const int OomScoreMax = 2000;
    private const int PercentMax = 100;

    // INFO has each of them for each command that was called: some kilobytes.
    private const int PercentilesMax = 32;

    private static readonly string[] _shutdownFlags = ["default", "save", "nosave", "now", "force"];
    private static readonly string[] _titleFields =
    [
        "title", "listen-addr", "server-mode", "port", "tls-port", "unixsocket", "config-file",
    ];

    /// <summary>Seconds and changes, any number of times.</summary>
    public static CheckedKind SavePoints { get; } = new(
        "seconds changes", "pairs of seconds and changes, or \"\"", FindSaveProblem)
    { HasWords = true, HasNoText = true };

    /// <summary>Adds a line's save points to those of the lines before; an empty line removes these.</summary>
    public static string MergeSavePoints(string present, string given) =>
        present.Length == 0 || given.Length == 0 ? given : $"{present} {given}";

    public static CheckedKind OomScores { get; } = new(
        "numbers", "three integers between -2000 and 2000", FindOomProblem)
    { HasWords = true, HasNoText = true };

    public static CheckedKind Percentiles { get; } = new(
        "numbers", "percentages between 0 and 100, or \"\"", FindPercentileProblem)
    {
        Canonical = static text => string.Join(' ', Split(text).Select(static word => Shorten(word))),
        HasWords = true,
        HasNoText = true,
    };

    public static CheckedKind AsciiCharacter { get; } = new(
        "character", "one character of ASCII, no blank and no control character", static text =>
            text is [> ' ' and <= '~'] ? null : "must be one character of ASCII, no blank and no control character")
    { HasNoText = true };

    public static CheckedKind ShutdownFlags { get; } = new(
        "flags", "default, or some of save, nosave, now, force", FindShutdownProblem)
    {
        Canonical = OrderFlags,
        HasWords = true,
        HasNoText = true,
    };

    public static CheckedKind HostName { get; } = new(
        "name", "a host name of at most 255 letters, digits, hyphens and dots", static text =>
            text.Length > HostNameMax ? "Hostnames must be less than 256 characters"
            : text.All(static one => char.IsAsciiLetterOrDigit(one) || one is '-' or '.') ? null
            : "Hostnames may only contain alphanumeric characters, hyphens or dots");

    public static CheckedKind Title { get; } = new(
        "template", "a text whose fields in braces Redis knows", static text =>
            IsTitle(text) ? null : "template format is invalid or contains unknown variables");

    /// <summary>The name of a file or folder without a path to it.</summary>
    public static CheckedKind BareName(string directive, string what) => new(
        what, $"the name of a {(what == "dirname" ? "directory" : "file")} without its path", text =>
            text.Length == 0 ? $"{directive} can't be empty"
            : text.AsSpan().IndexOfAny('/', '\\') >= 0 ? $"{directive} can't be a path, just a {what}"
            : null);

    private static string Shorten(string word) =>
        double.Parse(word, CultureInfo.InvariantCulture).ToString("0.######", CultureInfo.InvariantCulture);

    private static string OrderFlags(string text)
    {
        string[] given = text.ToLowerInvariant().Split(' ');
        string flags = string.Join(' ', _shutdownFlags.Skip(1).Where(given.Contains));
        return flags.Length == 0 ? "default" : flags;
    }

    private static string? FindSaveProblem(string text)
    {
        string[] words = Split(text);
        bool isWhole = words.Length % 2 == 0;
        for (int i = 0; isWhole && i < words.Length; i++)
        {
            // Redis reads them less strictly than other numbers, but refuses other texts.
            isWhole = int.TryParse(words[i], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int value)
                && value >= (i % 2 == 0 ? 1 : 0);
        }

        return isWhole ? null : "Invalid save parameters";
    }

    private static string? FindOomProblem(string text)
    {
        string[] words = Split(text);
        if (words.Length != OomScoreCount)
            return "wrong number of arguments";
        return Array.TrueForAll(words, static word =>
            NumberKind.TryParse(word, out long value) && value is >= -OomScoreMax and <= OomScoreMax)
            ? null
            : "Invalid oom-score-adj-values, elements must be between -2000 and 2000.";
    }

    private static string? FindPercentileProblem(string text)
    {
        string[] words = Split(text);
        if (words.Length > PercentilesMax)
            return $"latency-tracking-info-percentiles takes at most {PercentilesMax} percentiles";
        foreach (string word in words)
        {
            if (!double.TryParse(word, NumberStyles.Float, CultureInfo.InvariantCulture, out double value))
                return "Invalid latency-tracking-info-percentiles parameters";
            if (!(value >= 0 && value <= PercentMax))
                return "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]";
        }

        return null;
    }

    private static string? FindShutdownProblem(string text)
    {
        string[] words = text.Split(' ');
        if (!Array.TrueForAll(words, static word => _shutdownFlags.Contains(word, StringComparer.OrdinalIgnoreCase)))
            return "argument(s) must be one of the following: " + string.Join(", ", _shutdownFlags);
        return words.Contains("save", StringComparer.OrdinalIgnoreCase)
            && words.Contains("nosave", StringComparer.OrdinalIgnoreCase)
            ? "shutdown options SAVE and NOSAVE can't be used simultaneously"
            : null;
    }

    private static bool IsTitle(string text)
    {
        if (text.Length == 0)
            return false;
        for (int open = text.IndexOf('{', StringComparison.Ordinal); open >= 0; open = text.IndexOf('{', open))
        {
            int close = text.IndexOf('}', open);
            if (close < 0 || !_titleFields.Contains(text[(open + 1)..close]))
                return false;
            open = close;
        }

        return true;
    }

    // As Redis splits a value: at each blank, so that there is an empty word between two. An empty text has no words.
    private static string[] Split(string text) => text.Length == 0 ? [] : text.Split(' ');
}
