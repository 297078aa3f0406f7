using Cache.Durability.Files;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>Shows what is in one file.</summary>
internal static class InspectVerb
{
    private const int LinesDefault = 1_000;

    public static Verb Verb { get; } = new(
        "inspect",
        ["FILE"],
        "Shows what is in a journal or a snapshot: header, blocks, counts, and the records of a key.",
        [
            "",
            "--key KEY   the records of this key, and what clears its keyspace; KEY is UTF-8, and \\xHH is a byte",
            "--blocks    each block",
            "--limit N   at most N lines of records and blocks; 1000 if it is not given",
            "",
            "A journal alone does not say which of its blocks count; cache verify does.",
            "Exit codes: 0 whole, 1 damaged or no file of a store, 2 cannot be read.",
        ],
        new Dictionary<string, string?> { ["--key"] = "KEY", ["--limit"] = "N", ["--blocks"] = null },
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        byte[]? key = null;
        if (words.ValueOf("--key") is { } text && !KeyText.TryParse(text, out key))
            throw new ToolException($"--key {text}: a backslash begins \\xHH, \\n, \\r, \\t, \\a, \\b, \\\" or \\\\.");
        int lines = words.NumberOf("--limit", LinesDefault, 0, int.MaxValue);

        string path = Path.GetFullPath(words.Operands[0]);
        if (Directory.Exists(path))
            throw new ToolException($"{path} is a directory; cache verify checks it, and inspect needs a file.");
        if (!File.Exists(path))
            throw new ToolException($"{path} does not exist.");
        ThrowIfNoFile(path);
        var inspection = new FileInspection(output, key, words.Has("--blocks"), lines);
        return inspection.Run(path) ? ExitCode.Whole : ExitCode.Damaged;
    }

    // It is read at many places, some of them twice. A pipe would be waited for.
    private static void ThrowIfNoFile(string path)
    {
        if (!OperatingSystem.IsLinux())
            return;
        try
        {
            using var file = PosixCalls.Open(path, PosixCalls.ReadOnly | PosixCalls.NoWait);
            _ = RandomAccess.GetLength(file);
        }
        catch (NotSupportedException)
        {
            throw new ToolException($"{path} is a pipe or a device; inspect needs a file.");
        }
    }
}
