using Cache.Protocol;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Cluster;

/// <summary>CLUSTER COUNTKEYSINSLOT and GETKEYSINSLOT: a pass over all keys, in steps (decision 166).</summary>
internal static class SlotKeyCommands
{
    // As KEYS does.
    private const int KeysPerStep = 1024;

    private const long KeepsNone = 0;

    // The time after which other requests that wait for the same threads have a turn.
    private static readonly TimeSpan _stepTime = TimeSpan.FromMilliseconds(10);

    // CLUSTER COUNTKEYSINSLOT slot
    public static void Count(in RespRequest request, CommandContext context)
    {
        if (ClusterCommands.Find(context) is null || !TryReadNumber(request[2], context, out long slot))
            return;
        if (slot is < 0 or >= KeySlot.Count)
            context.Reply.Error("ERR Invalid slot"u8);
        else if (TryGather((int)slot, KeepsNone, context, out var progress))
            context.Reply.Integer(progress.Count);
        else
            return;
        context.EndProgress();
    }

    // CLUSTER GETKEYSINSLOT slot count
    public static void Get(in RespRequest request, CommandContext context)
    {
        if (ClusterCommands.Find(context) is null || !TryReadNumber(request[2], context, out long slot)
            || !TryReadNumber(request[3], context, out long count))
        {
            return;
        }

        if (slot is < 0 or >= KeySlot.Count || count < 0)
            context.Reply.Error("ERR Invalid slot or number of keys"u8);
        else if (count == 0)
            context.Reply.ArrayHeader(0);
        else if (TryGather((int)slot, count, context, out var progress))
            progress.Keys.WriteTo(context.Reply);
        else
            return;
        context.EndProgress();
    }

    private static bool TryReadNumber(ReadOnlySpan<byte> text, CommandContext context, out long number)
    {
        bool isNumber = RespInteger.TryParse(text, out number);
        if (!isNumber)
            context.Reply.Error(ErrorTexts.NotAnInteger);
        return isNumber;
    }

    /// <returns>False if it goes on elsewhere, or later.</returns>
    private static bool TryGather(int slot, long kept, CommandContext context, out SlotKeysProgress progress)
    {
        progress = null!;
        if (context.Store.Count > 0 && context.TryGiveWay(long.MaxValue))
            return false;
        progress = context.Progress as SlotKeysProgress
            ?? new SlotKeysProgress(context.Store, context.FindReplyListBytesMax());
        context.Progress = progress; // The context gives it back, even after an exception.
        var clock = context.Server.TimeProvider;
        long start = clock.GetTimestamp();
        do
        {
            var sink = new SlotKeySink(slot, kept, progress);
            progress.Cursor = progress.Store.Scan(progress.Cursor, KeysPerStep, ref sink);
            bool hasEnough = kept > KeepsNone && progress.Count >= kept;
            if (progress.Cursor == 0 || hasEnough || progress.Keys.IsTooLong || context.Client.IsKilled)
                return true;
        }
        while (!context.IsElsewhere || clock.GetElapsedTime(start) < _stepTime);
        context.GiveWayWith(progress);
        return false;
    }
}
