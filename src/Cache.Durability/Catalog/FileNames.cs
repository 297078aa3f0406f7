using System.Globalization;

namespace Cache.Durability.Catalog;

/// <summary>The names of the files in a directory.</summary>
internal static class FileNames
{
    public const string Manifest = "MANIFEST";
    public const string NextManifest = "MANIFEST.tmp";

    /// <summary>
    /// A manifest that says "suspended", written before it is needed: on a full disk only a rename works.
    /// </summary>
    public const string SuspendedManifest = "MANIFEST.suspended";
    public const string NextSuspendedManifest = "MANIFEST.suspended.tmp";

    /// <summary>The same with the state "refused".</summary>
    public const string RefusedManifest = "MANIFEST.refused";
    public const string NextRefusedManifest = "MANIFEST.refused.tmp";

    /// <summary>The libraries of functions of a server.</summary>
    public const string Functions = "FUNCTIONS";
    public const string NextFunctions = "FUNCTIONS.tmp";

    public const string Lock = "cache.lock";

    /// <summary>The suffix of a file whose damage was skipped; the file is only renamed.</summary>
    public const string BadEnding = ".bad";

    public const string TemporaryEnding = ".tmp";

    private const string JournalStart = "jrnl-";
    private const string JournalEnding = ".cj";
    private const string SnapshotStart = "base-";
    private const string SnapshotEnding = ".snap";

    public static string JournalOf(long number) =>
        string.Create(CultureInfo.InvariantCulture, $"{JournalStart}{number:d6}{JournalEnding}");

    public static string SnapshotOf(long number) =>
        string.Create(CultureInfo.InvariantCulture, $"{SnapshotStart}{number:d6}{SnapshotEnding}");

    /// <summary>The number of a journal; 0 if the name is not one.</summary>
    public static long JournalNumberOf(string name) => NumberOf(name, JournalStart, JournalEnding);

    /// <summary>The number of a snapshot; 0 if the name is not one.</summary>
    public static long SnapshotNumberOf(string name) => NumberOf(name, SnapshotStart, SnapshotEnding);

    /// <summary>Whether a name stays in the directory.</summary>
    public static bool IsPlain(string name) =>
        JournalNumberOf(name) != 0 || SnapshotNumberOf(name) != 0;

    private static long NumberOf(string name, string start, string ending)
    {
        if (!name.StartsWith(start, StringComparison.Ordinal) || !name.EndsWith(ending, StringComparison.Ordinal))
            return 0;
        var digits = name.AsSpan(start.Length, Math.Max(0, name.Length - start.Length - ending.Length));
        return long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number : 0;
    }
}
