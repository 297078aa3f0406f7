using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Notifications;
using Cache.Server.Protocol;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The frame of blocking commands: their wait, its end, and who serves others.</summary>
/// <remarks>
/// A handler first asks <see cref="TryEnd"/>, then makes its attempt on those keys of which MustQueue
/// says no, and calls <see cref="Block"/> if there is nothing. It is called again when the wait has ended.
/// </remarks>
internal static class BlockedCalls
{
    /// <summary>Replies, if this call ends a wait, except where the command makes its attempt itself.</summary>
    /// <returns>Whether it has replied.</returns>
    public static bool TryEnd(CommandContext context)
    {
        if (context.Progress is not WaitProgress progress)
            return false;
        if (progress.Waiter.Reply is { } reply)
            Write(reply, context);
        else if (progress.Waiter.IsWoken && context.SuspensionEnd is SuspensionEnd.Event or SuspensionEnd.None)
            return false;
        else if (context.SuspensionEnd == SuspensionEnd.UnblockedWithError)
            context.Reply.Error(ErrorTexts.Unblocked);
        else
            context.Reply.NullArray();
        context.EndProgress();
        return true;
    }

    /// <summary>Whether the client may be parked: not within a transaction, where each wait is over at once.</summary>
    public static bool MayBlock(CommandContext context) =>
        context.SuspensionEnd == SuspensionEnd.None || context.Progress is WaitProgress;

    /// <summary>Whether others wait for a key, and came before this client.</summary>
    public static bool MustQueue(ReadOnlySpan<byte> key, EntryKind kind, CommandContext context) =>
        context.Server.Waits.AreThere && context.Progress is not WaitProgress && MayBlock(context)
        && context.Server.Waits.HasWaiters(context.Client.Database, key, kind);

    /// <summary>The same for several keys.</summary>
    public static bool MustQueue(RequestSlice keys, EntryKind kind, CommandContext context)
    {
        if (!context.Server.Waits.AreThere)
            return false;
        for (int i = 0; i < keys.Count; i++)
        {
            if (MustQueue(keys.GetKey(i), kind, context))
                return true;
        }

        return false;
    }

    /// <summary>Reads the timeout of a blocking command.</summary>
    /// <returns>
    /// False if an error was replied, or the command gave way: a number may have thousands of digits.
    /// </returns>
    public static bool TryReadTimeout(ReadOnlySpan<byte> text, CommandContext context, out TimeSpan timeout)
    {
        timeout = default;
        return !context.TryGiveWay(ExtendedFloat.FindWork(text))
            && BlockTimeout.TryParse(text, context.Reply, out timeout);
    }

    /// <summary>The wait of a command that had waited, and was woken for nothing; else null.</summary>
    public static Waiter? Earlier(CommandContext context) => (context.Progress as WaitProgress)?.Waiter;

    /// <summary>Parks the client until one of its keys has what it waits for.</summary>
    /// <param name="waiter">What it waits for; the <see cref="Earlier"/> one, if there is one.</param>
    /// <param name="timeout">The longest time from the first attempt; infinite: no end.</param>
    /// <param name="request">Its command.</param>
    /// <param name="context">The client.</param>
    public static void Block(Waiter waiter, TimeSpan timeout, in RespRequest request, CommandContext context)
    {
        var server = context.Server;
        var clock = server.TimeProvider;
        bool isFirst = context.Progress is null;
        if (isFirst && timeout != Timeout.InfiniteTimeSpan)
            waiter.EndsAt = clock.GetTimestamp() + (long)(timeout.TotalSeconds * clock.TimestampFrequency);
        else if (!isFirst && waiter.EndsAt != 0)
            timeout = TimeSpan.FromTicks(Math.Max(clock.GetElapsedTime(clock.GetTimestamp(), waiter.EndsAt).Ticks, 1));
        if (context.Client.LastCommand is { } command)
            waiter.Events = EventPlans.Of(command, request, context.Store);
        if (isFirst)
            context.Progress = new WaitProgress(waiter, server.Waits);
        waiter.Suspension = context.Park(SuspensionReason.Keys, timeout);
        server.Waits.Add(waiter);
        server.Waits.Serve();
    }

    /// <summary>Lets no waiter be served on this thread until the present command has ended.</summary>
    /// <returns>Whether the caller must end that: not within a transaction, which does.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)] // While somebody waits.
    public static bool TryHold(CommandContext context) =>
        MayBlock(context) && !context.IsAdministrator && WaitTable.TryHold();

    /// <summary>Ends that, and serves those who wait for what the command has changed.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // As above.
    public static void Unhold(CommandContext context)
    {
        context.Server.Waits.Unhold();
        context.Times.Reset(); // The next command did not take that time.
    }

    // Behind the messages that came before it was served; the end of the progress lets the others come.
    private static void Write(byte[] reply, CommandContext context)
    {
        context.WriteMessages();
        if (reply[0] == (byte)'-')
            context.Reply.Error(reply.AsSpan(1..^2)); // Counted as an error.
        else
            context.Reply.Literal(reply);
    }
}
