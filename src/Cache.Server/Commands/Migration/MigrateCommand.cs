using System.Text;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Migration;

/// <summary>MIGRATE: moves keys to another server.</summary>
/// <remarks>
/// Redis serves nobody meanwhile. Here others go on, and may write the keys: a key is removed, under its lock, only if
/// it is what was sent; else it is sent again.
/// </remarks>
internal static class MigrateCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("migrate", Migrate),
    ];

    private static void Migrate(in RespRequest request, CommandContext context)
    {
        if (context.IsInSection)
            context.Reply.Error("ERR MIGRATE waits for its target, so it cannot be a part of a transaction"u8);
        else if (context.Progress is MigrateProgress progress)
            Continue(progress, context);
        else if (MigrateRequest.TryParse(request, context.Reply) is { } parsed)
            Begin(parsed, request, context);
    }

    private static void Begin(MigrateRequest parsed, in RespRequest request, CommandContext context)
    {
        var keys = new HashSet<byte[]>(new KeyBytesComparer()); // A key that is named twice is sent once.
        for (int i = parsed.FirstKey; i < parsed.FirstKey + parsed.KeyCount; i++)
        {
            if (context.Store.TryPeekInfo(request[i], out _))
                keys.Add(request[i].ToArray());
        }

        if (keys.Count == 0)
        {
            context.Reply.SimpleString("NOKEY"u8);
        }
        else if (MigrateProgress.TryBegin(parsed, [.. keys], context, out string? problem) is { } progress)
        {
            context.Progress = progress;
            Continue(progress, context);
        }
        else
        {
            context.Reply.Error(Encoding.ASCII.GetBytes(problem!));
        }
    }

    private static void Continue(MigrateProgress progress, CommandContext context)
    {
        string? error = null;
        if (progress.Sending is { } sending)
        {
            if (sending.IsCompleted)
                error = progress.Finish();
            else if (context.SuspensionEnd == SuspensionEnd.Closing)
                error = "ERR The client ends, and a key may be at both servers";
            else // Woken for something else.
                Park(sending, context);
            if (context.GaveWay)
                return;
        }

        if (error is null && !progress.IsDone)
        {
            if (context.TryGiveWay(progress.FindWork()))
                return;
            error = progress.Send();
            if (error is null)
            {
                Park(progress.Sending!, context);
                return;
            }
        }

        context.EndProgress();
        if (error is null)
            context.Reply.Ok();
        else
            context.Reply.Error(Encoding.Latin1.GetBytes(error));
    }

    private static void Park(Task sending, CommandContext context)
    {
        var suspension = context.Client.Suspension;
        long number = context.Park(SuspensionReason.Target, Timeout.InfiniteTimeSpan);
        _ = sending.ContinueWith(
            _ => suspension.TryEnd(number, SuspensionEnd.Event), CancellationToken.None, TaskContinuationOptions.None,
            TaskScheduler.Default);
    }
}
