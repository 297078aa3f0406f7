using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>SHUTDOWN: asks the program that hosts the server to stop.</summary>
internal static class ShutdownCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("shutdown", Shutdown),
    ];

    // SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [ABORT]; NOW means not to wait for replicas, of which there are none.
    private static void Shutdown(in RespRequest request, CommandContext context)
    {
        bool saves = false, savesNot = false, forces = false, aborts = false, hurries = false;
        for (int i = 1; i < request.Count; i++)
        {
            if (request[i].Is("NOSAVE"u8))
                savesNot = true;
            else if (request[i].Is("SAVE"u8))
                saves = true;
            else if (request[i].Is("FORCE"u8))
                forces = true;
            else if (request[i].Is("ABORT"u8))
                aborts = true;
            else if (request[i].Is("NOW"u8))
                hurries = true;
            else
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return;
            }
        }

        if ((aborts && (saves || savesNot || forces || hurries)) || (saves && savesNot))
            context.Reply.Error(ErrorTexts.Syntax);
        else if (aborts)
            context.Reply.Error("ERR No shutdown in progress."u8);
        else if (context.Server.Stop is null)
            context.Reply.Error("ERR SHUTDOWN is not allowed: this server is a part of another program"u8);
        else if (TrySave(saves, savesNot, forces, context))
            Stop(context);
    }

    // While files are loaded, or could not be, nothing is saved: it would be only a part of the entries.
    private static bool TrySave(bool saves, bool savesNot, bool forces, CommandContext context)
    {
        var durability = context.Server.Durability;
        if (durability is null or { SnapshotJobs: null, IsLoading: false })
        {
            if (!saves || forces)
                return true;
            context.Reply.Error("ERR this server keeps nothing on disk: use SHUTDOWN NOSAVE"u8);
            return false;
        }

        bool isDue = saves || !durability.IsWhole || (durability.SavePoints.Count > 0 && !durability.IsRecording);
        if (isDue && !savesNot && durability is { IsLoading: false, SnapshotJobs: { } jobs })
        {
            if (context.Progress is null && context.SuspensionEnd == SuspensionEnd.None)
                jobs.Cancel(); // As in Redis; the snapshot of the stop replaces it.
            if (!SaveCommands.TryEndSave(jobs, context, out var failure))
                return false;
            if (failure is not null && !forces)
            {
                context.Reply.Error("ERR Errors trying to SHUTDOWN. Check logs."u8);
                return false;
            }
        }

        (durability.SavesChanges, durability.SavesNot) = (saves, savesNot); // Other clients can write until the stop.
        return true;
    }

    // As in Redis there is no reply: the connection ends.
    private static void Stop(CommandContext context)
    {
        context.Client.CloseAfterReply();
        context.Server.Stop!(context.Client.EndPoints.Remote);
    }
}
