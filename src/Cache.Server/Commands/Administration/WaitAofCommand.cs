using Cache.Durability;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>WAITAOF: waits until the client's changes are durable; there are no replicas to wait for.</summary>
internal static class WaitAofCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("waitaof", Wait),
    ];

    // WAITAOF numlocal numreplicas timeout
    private static void Wait(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!RespInteger.TryParse(request[1], out long locals))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (locals is < 0 or > 1)
            reply.Error("ERR value is out of range, value must between 0 and 1"u8);
        else if (!RespInteger.TryParse(request[2], out long replicas) || replicas < 0)
            reply.Error("ERR value is out of range, must be positive"u8);
        else if (!RespInteger.TryParse(request[3], out long timeoutMs))
            reply.Error("ERR timeout is not an integer or out of range"u8);
        else if (timeoutMs < 0)
            reply.Error("ERR timeout is negative"u8);
        else if (locals == 1 && context.Server.Durability is not { IsRecording: true })
            ReplyNotRecording(context); // Perhaps it was switched off while the client waited.
        else
            WaitCore(locals, replicas, WaitTimeout.Of(timeoutMs), context);
    }

    private static void WaitCore(long locals, long replicas, TimeSpan timeout, CommandContext context)
    {
        var progress = context.Progress as JournalProgress
            ?? new JournalProgress(context.Server.Durability?.WaitWholeAsync() ?? Task.FromResult(false));
        bool mustWait = replicas > 0 || (locals == 1 && !progress.Task.IsCompleted);
        if (mustWait && context.SuspensionEnd == SuspensionEnd.None)
        {
            Park(progress, replicas, timeout, context);
            return;
        }

        context.EndProgress();
        if (context.SuspensionEnd == SuspensionEnd.UnblockedWithError)
        {
            context.Reply.Error(ErrorTexts.Unblocked);
            return;
        }

        context.Reply.ArrayHeader(2);
        context.Reply.ZeroOrOne(progress.IsDurable);
        context.Reply.Integer(0);
    }

    // Replicas never come, so the sync of the journal does not end a wait for them.
    private static void Park(JournalProgress progress, long replicas, TimeSpan timeout, CommandContext context)
    {
        context.Progress = progress;
        var suspension = context.Client.Suspension;
        long number = context.Park(
            replicas > 0 ? SuspensionReason.Replicas : SuspensionReason.Journal, timeout);
        if (replicas > 0)
            return;
        _ = progress.Task.ContinueWith(
            _ => suspension.TryEnd(number, SuspensionEnd.Event), progress.BeginWait(), TaskContinuationOptions.None,
            TaskScheduler.Default);
    }

    private static void ReplyNotRecording(CommandContext context)
    {
        context.EndProgress();
        context.Reply.Error("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."u8);
    }

    private sealed class JournalProgress(Task<bool> task) : CommandProgress
    {
        private CancellationTokenSource? _wait;

        public Task<bool> Task => task;

        public bool IsDurable => task.IsCompletedSuccessfully && task.GetAwaiter().GetResult();

        public override long MemoryBytes => 0;

        /// <summary>Cancelled when the client waits no more: its end is not kept until the sync.</summary>
        public CancellationToken BeginWait()
        {
            _wait = new CancellationTokenSource();
            return _wait.Token;
        }

        public override void Dispose()
        {
            _wait?.Cancel();
            _wait?.Dispose();
            _wait = null;
        }
    }
}
