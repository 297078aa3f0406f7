using System.Globalization;
using Cache.Durability.Attachment;

namespace Cache.Durability.Control;

/// <summary>Unusual findings of a start, in sentences.</summary>
internal static class StartNotes
{
    public static IReadOnlyList<string> Of(DurableStore durable)
    {
        var culture = CultureInfo.InvariantCulture;
        var report = durable.Report;
        var notes = new List<string>();
        if (report.IsEmpty)
        {
            notes.Add(
                "The last process could not write its last changes, deletions among them: nothing was loaded. The "
                + "files are kept with .bad behind their names. With journal-recover force such a start loads them.");
        }

        if (durable.IgnoredEnding is { } ending)
        {
            notes.Add(string.Create(
                culture,
                $"Nothing was loaded, since there was a file ignore-journal, which is gone now: "
                + $"{durable.IgnoredFileCount} files have {ending} behind their names. To have them back, stop the "
                + $"server, move the other files away, and give them their names again."));
        }

        if (report.WasRefused)
        {
            notes.Add(
                "The last process could not write its journal, and refused writes from then on: what it had written "
                + "before was loaded, and is in new files.");
        }

        if (report.RescuedBytes != 0)
        {
            notes.Add(string.Create(
                culture,
                $"The last process was killed: {report.RescuedBytes} bytes of changes that it had not written were in "
                + $"shared memory, and are in the journal now."));
        }

        if (report.RingProblem is { } problem)
        {
            notes.Add(
                $"Changes of the last 5 ms are lost if this process is killed: no shared memory, {problem}");
        }

        if (durable.WasTooOld)
            notes.Add("The last process ended longer ago than the longest downtime: nothing was kept of its files.");
        if (report.Tail is { } tail)
        {
            notes.Add(string.Create(
                culture,
                $"{tail.File} ends with {tail.Bytes} bytes of blocks that were not whole when the machine stopped, "
                + $"{Math.Max(0, tail.Milliseconds)} ms of changes: they were cut."));
        }

        foreach (var gap in report.Gaps)
        {
            notes.Add(string.Create(
                culture,
                $"{gap.File} is damaged at byte {gap.Offset}: blocks {gap.First} to {gap.Last} were skipped."));
        }

        return notes;
    }
}
