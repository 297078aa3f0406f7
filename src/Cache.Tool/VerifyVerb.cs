using System.Globalization;
using Cache.Durability.Catalog;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>Checks a directory, and says what a start would do with it.</summary>
internal static class VerifyVerb
{
    // More damages are of one cause; their number is printed.
    private const int DamagesMax = 100;

    public static Verb Verb { get; } = new(
        "verify",
        ["DIR"],
        "Checks every file of a directory, and says what a start would do with it. Changes nothing.",
        [
            "",
            "DIR is the directory with the file MANIFEST: appendonlydir, in the server's dir.",
            "Exit codes: 0 whole, also with a torn tail that a start cuts; 1 damaged or incomplete; 2 no such",
            "directory, or one that a process uses.",
        ],
        new Dictionary<string, string?>(),
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        var idle = IdleDirectory.Open(words.Operands[0]);
        var check = DirectoryCheck.Of(idle.Directory, idle.Manifest);
        idle.ThrowIfUsedMeanwhile();
        output.Line(idle.Directory.Path);
        PrintFiles(idle, check, output);
        output.Line();
        return PrintVerdict(idle.Manifest, check, output);
    }

    private static void PrintFiles(IdleDirectory idle, DirectoryCheck check, Report output)
    {
        var manifest = idle.Manifest;
        output.Line($"  {FileNames.Manifest,-24} {StateOf(manifest.State)}, store {manifest.StoreId:x16}");
        string[] named = manifest.Base is { } snapshot ? [snapshot, .. manifest.Journals] : [.. manifest.Journals];
        var names = idle.Directory.List();
        foreach (string name in named)
        {
            var (blocks, records) = check.Of(name);
            string length = names.Contains(name) ? Grouped(LengthOf(idle, name)) + " bytes" : "missing";
            output.Line($"  {name,-24} {length}, {Grouped(blocks)} blocks, {Grouped(records)} records");
        }

        foreach (string name in names.Except(named).Order(StringComparer.Ordinal))
        {
            if (WhatIs(name) is { } what)
                output.Line($"  {name,-24} {what}");
        }
    }

    private static ExitCode PrintVerdict(Manifest manifest, DirectoryCheck check, Report output)
    {
        foreach (var damage in check.Damages.Take(DamagesMax))
            output.Line($"damage: {damage}.");
        if (check.Damages.Count > DamagesMax)
            output.Line($"damage: {check.Damages.Count - DamagesMax} more places.");
        string read = $"{Grouped(check.Records)} records in {Grouped(check.Blocks)} blocks";
        if (check.LastWallMs != 0)
            read += $", the last of {Moments.Text(check.LastWallMs)}";
        if (check.Staged != 0)
            read += $", {Grouped(check.Staged)} of them from the memory of the process that was killed";
        if (check.Tail is { } tail)
        {
            output.Line(
                $"torn tail: {tail.File} ends at byte {tail.Offset}; {Grouped(tail.Bytes)} bytes of blocks follow that "
                + $"were not whole when the machine stopped, {Moments.Seconds(tail.Milliseconds)} s of changes.");
        }

        bool isSkippable = check.Damages.All(static damage => damage.IsSkippable);
        if (manifest.State == ManifestState.Suspended) // A start does not look for damage then.
        {
            output.Line(
                "incomplete: the last process could not write its last changes, which may be deletions. A start loads "
                + (isSkippable
                    ? $"nothing; with journal-recover force it loads, once, {read}."
                    : $"nothing, and with journal-recover force it refuses it. Readable are {read}."));
        }
        else if (check.Damages.Count != 0)
        {
            output.Line(isSkippable
                ? $"damaged: a start refuses it; with journal-recover skip it loads the rest, {read}."
                : $"damaged: a start refuses it, also with journal-recover skip. Readable are {read}.");
        }
        else
        {
            output.Line(check.Tail == null
                ? $"whole: a start loads {read}."
                : $"whole: a start cuts the torn tail, and loads {read}.");
            return ExitCode.Whole;
        }

        return ExitCode.Damaged;
    }

    private static string StateOf(ManifestState state) => state switch
    {
        ManifestState.Clean => "closed",
        ManifestState.Suspended => "suspended",
        ManifestState.Refused => "not closed; writes were refused after an error of the disk",
        _ => "not closed by its last process",
    };

    private static string? WhatIs(string name)
    {
        if (name is FileNames.Manifest or FileNames.SuspendedManifest or FileNames.RefusedManifest or FileNames.Lock)
            return null;
        if (name == FileNames.Functions)
            return "libraries of functions";
        if (name.EndsWith(FileNames.BadEnding, StringComparison.Ordinal))
            return "kept for inspection; not read";
        if (name.EndsWith(FileNames.TemporaryEnding, StringComparison.Ordinal))
            return "never finished; not read";
        if (FileNames.JournalNumberOf(name) != 0)
            return "free, for a later journal";
        return FileNames.SnapshotNumberOf(name) != 0 ? "replaced; not read" : "no file of a store";
    }

    private static long LengthOf(IdleDirectory idle, string name)
    {
        using var file = idle.Directory.Open(name, writable: false);
        return file.Length;
    }

    private static string Grouped(long number) => number.ToString("n0", CultureInfo.InvariantCulture);
}
