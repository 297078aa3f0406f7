namespace Cache.Durability.Control;

/// <summary>Decides when an automatic snapshot is due: by save points, or by the growth of the journal.</summary>
internal static class SnapshotSchedule
{
    // As in Redis: after a failure it is not tried again at once.
    private const long RetryMs = 5_000;

    /// <param name="points">The save points.</param>
    /// <param name="figures">The outcomes of the last ones.</param>
    /// <param name="changes">The counter of changes.</param>
    /// <param name="startMs">When the process began to count, in Unix milliseconds.</param>
    /// <param name="nowMs">The time.</param>
    public static bool IsSaveDue(
        IReadOnlyList<SavePoint> points, SnapshotFigures figures, long changes, long startMs, long nowMs)
    {
        if (!MayTry(figures.Save, nowMs))
            return false;
        long sinceMs = nowMs - Math.Max(figures.LastMs, startMs);
        long count = changes - figures.ChangesAtLast;
        foreach (var point in points)
        {
            if (count >= point.Changes && sinceMs > point.Seconds * 1000L)
                return true;
        }

        return false;
    }

    /// <param name="percent">The allowed growth of the files; 0: unlimited.</param>
    /// <param name="bytesMin">Their minimum size.</param>
    /// <param name="snapshotBytes">The size of the last snapshot.</param>
    /// <param name="journalBytes">The size of the journal after it.</param>
    /// <param name="figures">The outcomes of the last ones.</param>
    /// <param name="nowMs">The time.</param>
    public static bool IsRewriteDue(
        int percent, long bytesMin, long snapshotBytes, long journalBytes, SnapshotFigures figures, long nowMs) =>
        percent > 0 && snapshotBytes + journalBytes > bytesMin && MayTry(figures.Rewrite, nowMs)
        && journalBytes * 100.0 / Math.Max(1, snapshotBytes) >= percent;

    private static bool MayTry(SnapshotOutcome outcome, long nowMs) =>
        outcome.Failure == null || nowMs - outcome.EndedMs > RetryMs;
}
