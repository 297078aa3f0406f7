using Cache.Durability;
using Cache.Durability.Control;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Administration;

/// <summary>The section Persistence of INFO.</summary>
/// <remarks>
/// With Redis's names: rdb is a snapshot on request or by save points, aof the journal, its rewrite a snapshot that
/// replaces it. No process is forked, so there is no copy-on-write.
/// </remarks>
internal static class InfoPersistence
{
    private const int Percent = 100;

    public static void Append(InfoText text, ServerState server)
    {
        var durability = server.Durability;
        var figures = durability?.SnapshotJobs?.Figures ?? new SnapshotFigures();
        long nowMs = server.NowMs;
        text.Add("loading", durability is { IsLoading: true } ? 1 : 0);
        text.AddEach(0, "async_loading", "current_cow_peak", "current_cow_size", "current_cow_size_age");
        AppendCurrent(text, server, figures);
        AppendSnapshots(text, server, figures, nowMs);
        AppendJournal(text, durability, figures, nowMs);
        text.AddEach(0, "module_fork_in_progress", "module_fork_last_cow_size");
        if (durability is { IsRecording: true })
        {
            var status = durability.GetStatus();
            text.Add("aof_current_size", status.SnapshotBytes + status.JournalBytes);
            text.Add("aof_base_size", status.SnapshotBytes);
            text.AddEach(0, "aof_pending_rewrite", "aof_buffer_length", "aof_pending_bio_fsync");
            text.Add("aof_delayed_fsync", durability.WaitCount);
        }

        if (durability is { IsLoading: true })
            AppendLoading(text, server, durability);
    }

    private static void AppendCurrent(InfoText text, ServerState server, SnapshotFigures figures)
    {
        bool isRunning = figures.Running is not null;
        long total = isRunning ? server.Store.GetStatistics().Count : 0;
        long done = isRunning ? Math.Min(total, server.Durability!.SnapshotJobs!.Keys) : 0;
        text.Add("current_fork_perc", total == 0 ? 0.0 : (double)done * Percent / total);
        text.Add("current_save_keys_processed", done);
        text.Add("current_save_keys_total", total);
    }

    private static void AppendSnapshots(InfoText text, ServerState server, SnapshotFigures figures, long nowMs)
    {
        text.Add("rdb_changes_since_last_save", server.Durability?.ChangesSinceSave ?? 0);
        bool isSaving = figures.Running == SnapshotPurpose.Save;
        text.Add("rdb_bgsave_in_progress", isSaving ? 1 : 0);
        text.Add("rdb_last_save_time", SaveCommands.LastSaveSeconds(server));
        text.Add("rdb_last_bgsave_status", StatusOf(figures.Save));
        text.Add("rdb_last_bgsave_time_sec", SecondsOf(figures.Save));
        text.Add("rdb_current_bgsave_time_sec", isSaving ? (nowMs - figures.RunningSinceMs) / 1000 : -1);
        text.Add("rdb_saves", figures.Save.Count);
        text.AddEach(0, "rdb_last_cow_size", "rdb_last_load_keys_expired");
        text.Add("rdb_last_load_keys_loaded", server.Durability?.GetStatus().LoadedRecords ?? 0);
    }

    private static void AppendJournal(
        InfoText text, CacheDurability? durability, SnapshotFigures figures, long nowMs)
    {
        bool isRewriting = figures.Running == SnapshotPurpose.Rewrite;
        text.Add("aof_enabled", durability is { IsRecording: true } ? 1 : 0);
        text.Add("aof_rewrite_in_progress", isRewriting ? 1 : 0);
        text.Add("aof_rewrite_scheduled", figures.Rewrite.IsScheduled ? 1 : 0);
        text.Add("aof_last_rewrite_time_sec", SecondsOf(figures.Rewrite));
        text.Add("aof_current_rewrite_time_sec", isRewriting ? (nowMs - figures.RunningSinceMs) / 1000 : -1);
        text.Add("aof_last_bgrewrite_status", StatusOf(figures.Rewrite));
        text.Add("aof_rewrites", figures.Rewrite.Count);
        text.Add("aof_rewrites_consecutive_failures", figures.Rewrite.Failures);
        text.Add("aof_last_write_status", durability?.Failure is null ? "ok" : "err");
        text.Add("aof_last_cow_size", 0);
    }

    private static void AppendLoading(InfoText text, ServerState server, CacheDurability durability)
    {
        var status = durability.GetStatus();
        double share = Math.Min(1, (double)status.LoadedBytes / Math.Max(1, status.LoadTotalBytes));
        double seconds = (server.NowMs - server.StartedAtMs) / 1000.0;
        text.Add("loading_start_time", server.StartedAtMs / 1000);
        text.Add("loading_total_bytes", status.LoadTotalBytes);
        text.Add("loading_rdb_used_mem", 0);
        text.Add("loading_loaded_bytes", status.LoadedBytes);
        text.Add("loading_loaded_perc", share * Percent);
        text.Add("loading_eta_seconds", share == 0 ? 1 : (long)(seconds / share * (1 - share)));
    }

    private static string StatusOf(SnapshotOutcome outcome) => outcome.Failure is null ? "ok" : "err";

    private static long SecondsOf(SnapshotOutcome outcome) => (long)outcome.Duration.TotalSeconds;
}
