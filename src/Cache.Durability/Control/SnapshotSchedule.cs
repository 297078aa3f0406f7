namespace Cache.Durability.Control;

/// <summary>Says when a snapshot is due by itself: by save points, or by the growth of the journal.</summary>
internal static class SnapshotSchedule
{
    // Redis's: after a failure it is not tried at once.
    private const long RetryMs = 5_000;

    /// <param name="points">The save points.</param>
    /// <param name="figures">What became of the last ones.</param>
    /// <param name="changes">What the counter of changes says.</param>
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

    /// <param name="percent">By how much the files may grow; 0: without end.</param>
    /// <param name="bytesMin">Their least size.</param>
    /// <param name="snapshotBytes">The size of the last snapshot.</param>
    /// <param name="journalBytes">That of the journal behind it.</param>
    /// <param name="figures">What became of the last ones.</param>
    /// <param name="nowMs">The time.</param>
    public static bool IsRewriteDue(
        int percent, long bytesMin, long snapshotBytes, long journalBytes, SnapshotFigures figures, long nowMs) =>
        percent > 0 && snapshotBytes + journalBytes > bytesMin && MayTry(figures.Rewrite, nowMs)
        && journalBytes * 100.0 / Math.Max(1, snapshotBytes) >= percent;

    private static bool MayTry(SnapshotOutcome outcome, long nowMs) =>
        outcome.Failure == null || nowMs - outcome.EndedMs > RetryMs;
}
