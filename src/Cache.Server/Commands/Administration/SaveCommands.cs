using Cache.Durability;
using Cache.Durability.Control;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>SAVE, BGSAVE, BGREWRITEAOF, LASTSAVE.</summary>
/// <remarks>
/// All write the same snapshot, on a thread of its own; they differ in what INFO reports and in whether the client
/// waits: SAVE delays only its own client.
/// </remarks>
internal static class SaveCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("save", Save),
        new("bgsave", SaveInBackground),
        new("bgrewriteaof", Rewrite),
        new("lastsave", LastSave),
    ];

    /// <summary>Starts a snapshot, for which the client waits.</summary>
    /// <param name="jobs">Writes the snapshot.</param>
    /// <param name="context">
    /// The client whose command waits; the command returns without a reply until the snapshot has ended.
    /// </param>
    /// <param name="failure">The error, once it has ended; null: it was written.</param>
    /// <returns>Whether it has ended.</returns>
    public static bool TryEndSave(SnapshotJobs jobs, CommandContext context, out Exception? failure)
    {
        failure = null;
        var progress = context.Progress as SaveProgress;
        if (progress is null && context.SuspensionEnd == SuspensionEnd.Closing)
        {
            failure = new OperationCanceledException("The client ends.");
            return true;
        }

        if (progress is null)
        {
            // Waits for a rewrite that is under way.
            bool hasBegun = jobs.TryBegin(SnapshotPurpose.Save, out _, out var task);
            if (!hasBegun && jobs.IsClosed)
            {
                failure = new IOException("The files are closed.");
                return true;
            }

            Park(context, hasBegun ? new SaveProgress(task) : null, hasBegun ? task : jobs.CurrentAsync());
            return false;
        }

        if (!progress.Task.IsCompleted && context.SuspensionEnd != SuspensionEnd.Closing)
        {
            Park(context, progress, progress.Task); // CLIENT UNBLOCK has ended the wait.
            return false;
        }

        failure = progress.Task.IsCompleted
            ? progress.Task.GetAwaiter().GetResult()
            : new OperationCanceledException("The client ends.");
        context.EndProgress();
        return true;
    }

    /// <summary>Parks the client while a snapshot is being written.</summary>
    /// <returns>Whether it was parked: then the command returns, and is called again.</returns>
    public static bool TryWaitForSnapshot(CommandContext context)
    {
        if (context.Server.Durability?.SnapshotJobs is not { Figures.Running: not null } jobs)
            return false;
        if (context.SuspensionEnd == SuspensionEnd.Closing)
            context.Reply.Error("ERR a snapshot is being written, and the client ends"u8);
        else
            Park(context, progress: null, jobs.CurrentAsync());
        return true;
    }

    /// <summary>The writer of snapshots; null, with an error reply, if there is none.</summary>
    public static SnapshotJobs? FindJobs(CommandContext context)
    {
        if (context.Server.Durability?.SnapshotJobs is { } jobs)
            return jobs;
        context.Reply.Error("ERR this server keeps nothing on disk"u8);
        return null;
    }

    private static void Save(in RespRequest request, CommandContext context)
    {
        if (FindJobs(context) is not { } jobs)
            return;
        if (context.Progress is null && jobs.Figures.Running == SnapshotPurpose.Save
            && context.SuspensionEnd == SuspensionEnd.None)
        {
            context.Reply.Error("ERR Background save already in progress"u8);
            return;
        }

        if (!TryEndSave(jobs, context, out var failure))
            return;
        if (failure is null)
            context.Reply.Ok();
        else
            context.Reply.Error("ERR"u8);
    }

    // BGSAVE [SCHEDULE]
    private static void SaveInBackground(in RespRequest request, CommandContext context)
    {
        bool isScheduled = request.Count == 2 && request[1].Is("SCHEDULE"u8);
        if (request.Count > 1 && !isScheduled)
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (FindJobs(context) is not { } jobs)
            return;
        if (jobs.TryBegin(SnapshotPurpose.Save, out var running, out _))
        {
            context.Reply.SimpleString("Background saving started"u8);
        }
        else if (running == SnapshotPurpose.Save)
        {
            context.Reply.Error("ERR Background save already in progress"u8);
        }
        else if (isScheduled)
        {
            jobs.Schedule(SnapshotPurpose.Save);
            context.Reply.SimpleString("Background saving scheduled"u8);
        }
        else
        {
            context.Reply.Error(
                "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to "u8
                + "schedule a BGSAVE whenever possible."u8);
        }
    }

    private static void Rewrite(in RespRequest request, CommandContext context)
    {
        if (FindJobs(context) is not { } jobs)
            return;
        if (jobs.TryBegin(SnapshotPurpose.Rewrite, out var running, out _))
        {
            context.Reply.SimpleString("Background append only file rewriting started"u8);
        }
        else if (running == SnapshotPurpose.Rewrite)
        {
            context.Reply.Error("ERR Background append only file rewriting already in progress"u8);
        }
        else
        {
            jobs.Schedule(SnapshotPurpose.Rewrite);
            context.Reply.SimpleString("Background append only file rewriting scheduled"u8);
        }
    }

    // Before the first one: the start, as in Redis.
    private static void LastSave(in RespRequest request, CommandContext context) =>
        context.Reply.Integer(LastSaveSeconds(context.Server));

    /// <summary>When the last snapshot became durable, in Unix seconds.</summary>
    public static long LastSaveSeconds(ServerState server) =>
        (server.Durability?.SnapshotJobs?.Figures is { LastMs: > 0 and var lastMs }
            ? lastMs
            : server.StartedAtMs) / 1000;

    private static void Park(CommandContext context, SaveProgress? progress, Task task)
    {
        context.Progress = progress;
        var suspension = context.Client.Suspension;
        long number = context.Park(SuspensionReason.Snapshot, Timeout.InfiniteTimeSpan);
        _ = task.ContinueWith(
            _ => suspension.TryEnd(number, SuspensionEnd.Event), CancellationToken.None, TaskContinuationOptions.None,
            TaskScheduler.Default);
    }

    private sealed class SaveProgress(Task<Exception?> task) : CommandProgress
    {
        public Task<Exception?> Task => task;

        public override long MemoryBytes => 0;

        public override void Dispose()
        {
        }
    }
}
