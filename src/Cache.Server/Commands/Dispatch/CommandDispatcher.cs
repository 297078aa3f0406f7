using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Cluster;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Scripts;
using Cache.Server.Security;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Executes requests: finds the command, makes Redis's checks, calls the handler, and counts.</summary>
/// <remarks>
/// The order is that of Redis 7.0's processCommand: existence, arity, rights. Every request gets its reply here, or
/// from the command's method; no exception reaches the connection.
/// </remarks>
internal static partial class CommandDispatcher
{
    /// <summary>
    /// Executes one request and writes its reply into <see cref="CommandContext.Reply"/>; or does nothing, if it
    /// <see cref="CommandContext.GaveWay"/>.
    /// </summary>
    /// <param name="request">The request; valid during the call.</param>
    /// <param name="context">The client that sent it.</param>
    public static void Execute(in RespRequest request, CommandContext context)
    {
        var command = Find(request, context.Server.Commands);
        context.Client.LastCommand = command;
        if (command is null)
            RejectUnknown(request, context);
        else if (!command.Accepts(request.Count))
            Reject(command, command.ArityError, context);
        else if (!context.IsAuthenticated && !context.IsUnderWay && (command.Flags & CommandFlags.NoAuth) == 0)
            Reject(command, "NOAUTH Authentication required."u8, context);
        else if (context.Client.IsReserved && !command.ServesAdministrators && !TryLeaveReserve(context))
            Reject(command, ErrorTexts.TooManyClients, context);
        else if (context.Client.IsQueueing && (command.Flags & CommandFlags.NoMulti) != 0)
            Reject(command, "ERR Command not allowed inside a transaction"u8, context);
        else if (!context.Client.IsQueueing && context.TryGiveWay(command, request.Count))
            return;
        else if ((context.Client.User.Rules.AllowsFreely(command) || !TryDeny(command, request, context))
            && (context.Server.IsUnhindered || !TryRefuse(command, request, context))
            && (!context.Client.IsRestricted || !TryRestrict(command, context))
            && (!context.Client.IsMonitor || !TryRefuseMonitor(command, request, context)))
        {
            if (context.Client.IsQueueing && command.Role < TransactionRole.Control)
                Queue(command, request, context);
            else if ((command.Role == TransactionRole.Exec || command.RunsScript)
                && IsForWantOfMemory(command, request, context))
                Reject(command, ErrorTexts.OutOfMemory, context);
            else
                Call(command, request, context);
        }

        if (context.ReplyMode != ReplyMode.Normal && !context.GaveWay)
            context.EndSkipping();
        if (context.Client.HasTrackedCalls && !context.GaveWay)
            TrackedCalls.EndCaching(command, context.Client);
    }

    /// <summary>
    /// Executes one request of the admin socket: only what that serves, under the commands' own names, without rights,
    /// turns and the state of the files.
    /// </summary>
    /// <param name="request">The request; valid during the call.</param>
    /// <param name="context">The administrator.</param>
    public static void ExecuteOfAdministrator(in RespRequest request, CommandContext context)
    {
        var container = CommandTable.Default.Find(request[0]);
        var command = Find(request, CommandTable.Default);
        context.Client.LastCommand = command;
        if (command is null && container?.Subcommands is not null)
            Reject(null, UnknownCommand.Describe(request, CommandTable.Default), context);
        else if (command is null || !AdminCommands.Serve(command))
            Reject(command, AdminCommands.Refusal, context);
        else if (!command.Accepts(request.Count))
            Reject(command, command.ArityError, context);
        else
            Call(command, request, context);
    }

    /// <summary>
    /// Executes a command of an atomic section as one that a client sent, but for the checks that were made before.
    /// </summary>
    /// <param name="command">The command; its arity was checked.</param>
    /// <param name="request">The request; valid during the call.</param>
    /// <param name="elsewhere">Its argument in memory of its own; null: none.</param>
    /// <param name="context">The client, inside of a section.</param>
    /// <param name="isOfScript">Whether a script calls it.</param>
    public static void ExecuteInside(
        CommandDefinition command, in RespRequest request, LongArgument? elsewhere, CommandContext context,
        bool isOfScript = false)
    {
        Debug.Assert(context.IsInSection);
        context.LongArgument = elsewhere;
        Call(command, request, context, isOfScript);
        context.LongArgument = null;
        Debug.Assert(!context.GaveWay, "Nothing in a section gives way.");
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Only after MULTI.
    private static void Queue(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        var transaction = Transaction.Of(context);
        if (transaction.IsRefused)
        {
            context.Reply.Literal("+QUEUED\r\n"u8); // As in Redis, where nothing is queued that no EXEC will execute.
            return;
        }

        var queue = transaction.Queue;
        if (!queue.HasRoomFor(request))
        {
            Reject(command, "ERR too many commands, or too many bytes, in one transaction"u8, context);
            return;
        }

        // As in Redis, whatever the command is: better nothing than a part.
        if (!HasRoomFor(request.Length, context))
        {
            Reject(command, ErrorTexts.OutOfMemory, context);
            return;
        }

        queue.Add(command, request, context.MoveLongArgument());
        queue.Note(
            Writes(command, request, context), IsLikeWrite(command, request, context),
            Grows(command, request, context));
        context.Reply.Literal("+QUEUED\r\n"u8);
    }

    private static CommandDefinition? Find(in RespRequest request, CommandTable commands)
    {
        var command = commands.Find(request[0]);
        return command?.Subcommands is { } subcommands && request.Count > 1 ? subcommands.Find(request[1]) : command;
    }

    private static void Call(
        CommandDefinition command, in RespRequest request, CommandContext context, bool isOfScript = false)
    {
        var reply = context.Reply;
        int errors = reply.ErrorCount;
        long unflushedBytes = reply.UnflushedBytes - ((context.Progress as LongReply)?.EarlierBytes ?? 0);
        long earlierTicks = context.Progress?.Ticks ?? 0;
        bool wasShown = context.Progress is WaitProgress { IsShown: true };
        bool holdsWaits = context.Server.Waits.AreThere && BlockedCalls.TryHold(context);
        CountCall(command, context);
        bool isTracked = context.Client.HasTrackedCalls;
        if (isTracked)
            TrackedCalls.Begin(command, request, context); // Before it reads.
        long start = context.BeginCall();
        bool isNotified = context.Server.Notifications.IsOn && context.Progress is not LongReply; // Which has begun.
        if (isNotified)
            BeginNotifying(command, request, context);
        try
        {
            context.Server.Handlers.Of(command)(request, context);
        }
#pragma warning disable CA1031 // An exception of a command is a defect of this server; the client gets an error.
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ReplyToDefect(command, exception, context);
        }

        if (isNotified)
            EndNotifying(context);
        if (isTracked)
            TrackedCalls.End();
        bool isTimeShared = context.Times.TryWaitForNext(start);
        long ticks = isTimeShared ? 0 : context.EndCall(start) + earlierTicks;
        if (holdsWaits)
            BlockedCalls.Unhold(context);
        if (context.GaveWay)
        {
            TakeBackCall(command, context);
            context.Progress?.Ticks = ticks;
            if (context.Progress is WaitProgress waits && context.Server.Monitors.AreThere)
                waits.Show(command, request, context);
            return;
        }

        int calls = isTimeShared ? 0 : context.Times.TakeShared();
        if (calls > 0)
            context.Counters.AddTime(command.Index, ticks, calls, context.TracksLatency);
        if (context.Server.Monitors.AreThere && !wasShown)
            context.Server.Monitors.Show(command, request, context.LongArgument, context.Client, isOfScript);
        if (context.IsSampleDue(count: 1))
            SampledCalls.Take(command, request, context);
        if (context.IsLarge(request.Length, reply.UnflushedBytes - unflushedBytes))
            LargeCalls.Note(command, request, reply.UnflushedBytes - unflushedBytes, context);
        if (context.IsSlow(ticks))
            SlowCalls.Note(command, RequestExcerpt.Of(command, request, context.LongArgument), ticks, context);
        if (reply.ErrorCount != errors)
            CountFailure(command, reply, context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Only while events are published.
    private static void BeginNotifying(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        if (command.Channels == ChannelArguments.One) // It publishes, also in EXEC and in a script.
            context.Server.Notifications.PublishNoted();
        context.Server.Notifications.Begin(command, request, context.Store);
    }

    // What the client gets of its own events comes behind the reply.
    [MethodImpl(MethodImplOptions.NoInlining)] // Only while events are published.
    private static void EndNotifying(CommandContext context)
    {
        context.Server.Notifications.End();
        if (context.Client.IsSubscriber && !context.GaveWay)
            context.WriteMessages();
    }

    /// <summary>Counts a call.</summary>
    public static void CountCall(CommandDefinition command, CommandContext context)
    {
        context.Counters.Traffic.Commands++;
        context.Counters.CountCall(command.Index);
    }

    /// <summary>Takes back the count of a call that gave way: it is counted where it is executed.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare.
    public static void TakeBackCall(CommandDefinition command, CommandContext context)
    {
        context.Counters.Traffic.Commands--;
        context.Counters.TakeBackCall(command.Index);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Cold.
    private static void RejectUnknown(in RespRequest request, CommandContext context)
    {
        if (UnknownCommand.IsOfHttp(request[0]))
        {
            context.Server.ReportLimit(ConnectionLimit.Http, context.Client.EndPoints.Remote, 0);
            context.Client.CloseAfterReply();
        }
        else
        {
            Reject(null, UnknownCommand.Describe(request, context.Server.Commands), context);
        }
    }

    // Once the number of clients is below the limit, a client on a reserved place becomes an ordinary one.
    [MethodImpl(MethodImplOptions.NoInlining)] // Cold.
    private static bool TryLeaveReserve(CommandContext context)
    {
        bool hasRoom = context.Server.Clients.Count <= context.Server.Settings.MaxClients;
        if (hasRoom)
            context.Client.IsReserved = false;
        else
            context.Client.CloseAfterReply();
        return hasRoom;
    }

    /// <returns>Whether the request was denied, and refused.</returns>
    private static bool TryDeny(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        if (context.IsUnderWay)
            return false;
        var user = context.Client.User;
        var denial = user.Rules.Check(command, request, 0, out int argument);
        if (denial == AclDenial.None)
            return false;
        RejectDenied(denial, command, request[argument], context);
        return true;
    }

    /// <returns>
    /// Whether the command was sent to another server, refused because of the state of the files, or put off by a
    /// pause.
    /// </returns>
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare, or in a cluster.
    private static bool TryRefuse(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        if (context.Server.Cluster is { } cluster && TryRedirect(cluster, command, request, context))
            return true;
        bool isHeld = false;
        var held = context.Server.Databases.Held; // Once: who entered to be refused may see others let in.
        if (held is not null
            && HeldCalls.TryPutOff(held, command, request, context, out isHeld))
        {
            return true;
        }

        if (context.IsUnderWay)
            return false; // As for rights.
        if (context.Server.Durability is { } durability
            && DurabilityRefusal.Find(command, Writes(command, request, context), durability) is { } error)
        {
            Reject(command, error, context);
            return true;
        }

        if (isHeld || (held is null && context.Server.Databases.IsBusy))
        {
            if ((command.Flags & CommandFlags.AllowBusy) != 0)
                return false;
            Reject(command, context.Server.BusyText, context);
            return true;
        }

        bool isReplicated = Writes(command, request, context) || IsLikeWrite(command, request, context);
        if (!context.Server.Pauses.PutsOff(isReplicated, out var rest))
            return false;
        long number = context.Park(SuspensionReason.Pause, rest);
        context.Server.Pauses.Confirm(context.Client.Suspension, number);
        return true;
    }

    /// <returns>Whether the keys of the command, or of what EXEC would execute, are not all of this server.</returns>
    private static bool TryRedirect(
        ClusterState cluster, CommandDefinition command, in RespRequest request, CommandContext context)
    {
        bool isExec = command.Role == TransactionRole.Exec;
        if (!isExec && command.KeySpecifications.Length == 0)
            return false;
        if (context.Progress is LongReply or WaitProgress { Waiter.Reply: not null })
            return false; // Read from a snapshot, or served before: that must not be lost.
        var view = cluster.View;
        var check = new SlotCheck(view);
        if (!isExec)
        {
            check.Take(command, request);
        }
        else if (context.Client.IsQueueing)
        {
            var queue = Transaction.Of(context).Queue;
            for (int i = 0; i < queue.Count; i++)
                check.Take(queue.CommandOf(i), queue[i]);
        }

        byte[]? downError = cluster.IsUpBy(view)
            ? null
            : ClusterDown.FindError(
                command,
                ClusterDirectives.AllowsChannelsWhenDown(context.Server.Settings),
                ClusterDirectives.AllowsReadsWhenDown(context.Server.Settings));
        if (check.FindError(downError) is not { } error)
            return false;
        if (isExec)
            Transaction.Of(context).Reset();
        else if (context.Client.IsQueueing)
            Transaction.Of(context).Refuse();
        context.EndProgress(); // It waited for a key whose slot has left.
        ReplyRejected(command, error, context);
        return true;
    }

    /// <returns>Whether the command was refused because the client is subscribed to channels.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare.
    private static bool TryRestrict(CommandDefinition command, CommandContext context)
    {
        if (command.ServesSubscribers)
            return false;
        Reject(
            command,
            [
                .. "ERR Can't execute '"u8, .. command.NameBytes,
                .. "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"u8,
            ],
            context);
        return true;
    }

    /// <returns>Whether the command was refused because the client monitors: for Redis it is a kind of
    /// replica.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare.
    private static bool TryRefuseMonitor(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        bool usesKeys = (command.Flags & CommandFlags.ReadOnly) != 0 || Writes(command, request, context)
            || IsLikeWrite(command, request, context);
        if (usesKeys)
            Reject(command, "ERR Replica can't interact with the keyspace"u8, context);
        return usesKeys;
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Cold.
    private static void RejectDenied(
        AclDenial denial, CommandDefinition command, ReadOnlySpan<byte> argument, CommandContext context)
    {
        var server = context.Server;
        bool isCommand = denial == AclDenial.Command;
        bool isChannel = denial == AclDenial.Channel;
        string name = isCommand ? command.Name : Encoding.Latin1.GetString(AclLog.Shorten(argument));
        server.LogDenial(denial, name, context.Client.User.Name, context.Client);
        server.ReportLimit(
            isCommand ? ConnectionLimit.CommandDenied
                : isChannel ? ConnectionLimit.ChannelDenied : ConnectionLimit.KeyDenied,
            context.Client.EndPoints.Remote, 0);
        Reject(
            command,
            isCommand ? command.DenialError : isChannel ? ErrorTexts.ChannelDenied : ErrorTexts.KeyDenied, context);
    }

    private static void Reject(CommandDefinition? command, ReadOnlySpan<byte> error, CommandContext context)
    {
        if (command is { Role: TransactionRole.Exec })
        {
            (context.Client.Transaction as Transaction)?.Reset();
            error = (byte[])[.. "EXECABORT Transaction discarded because of: "u8, .. WithoutCode(error)];
        }
        else if (context.Client.IsQueueing)
        {
            Transaction.Of(context).Refuse();
        }

        ReplyRejected(command, error, context);
    }

    private static void ReplyRejected(CommandDefinition? command, ReadOnlySpan<byte> error, CommandContext context)
    {
        context.Reply.Error(error);
        CountRejection(command, context.Reply, context);
    }

    /// <summary>Counts a request that was refused before the call, with the error that was written last.</summary>
    public static void CountRejection(CommandDefinition? command, RespReplyWriter reply, CommandContext context)
    {
        CountError(reply.ErrorCode, context);
        _ = reply.TakeErrors();
        if (command is not null)
            context.Server.Statistics.CountRejection(command.Index);
    }

    /// <summary>Counts an error by its code.</summary>
    public static void CountError(ReadOnlySpan<byte> code, CommandContext context) =>
        context.Server.Statistics.CountError(code);

    // As in Redis, which keeps codes of other errors.
    private static ReadOnlySpan<byte> WithoutCode(ReadOnlySpan<byte> error) =>
        error.StartsWith("ERR "u8) ? error["ERR "u8.Length..] : error;

    /// <summary>
    /// Counts a call whose reply is an error, or has some; those of the commands of EXEC were counted with these.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Cold.
    public static void CountFailure(CommandDefinition command, RespReplyWriter reply, CommandContext context)
    {
        var errors = reply.TakeErrors();
        int failures = errors.Repeated + (errors.New + errors.Counted > 0 ? 1 : 0); // As in Redis.
        for (int i = 0; i < failures; i++)
            context.Counters.CountFailure(command.Index);
        if (errors.New > 0)
            context.Server.Statistics.CountError(reply.ErrorCode);
    }

    /// <summary>
    /// Replies to a call that threw, and ends the connection: a part of a reply may have been written.
    /// </summary>
    public static void ReplyToDefect(CommandDefinition command, Exception exception, CommandContext context)
    {
        if (exception is IOException && context.Server.Durability is { IsRecording: true } durability)
        {
            // The first writes after the failure; they changed nothing.
            context.Reply.Error(DurabilityRefusal.OfJournal(durability));
            return;
        }

        bool isStoreGone = exception is ObjectDisposedException && context.Server.IsStoreDisposed;
        context.Reply.Error(isStoreGone ? "ERR the store of this server was disposed"u8 : "ERR internal error"u8);
        context.Client.CloseAfterReply();
        if (isStoreGone)
            context.Server.StoreWasDisposed?.Invoke();
        else
            context.Server.CommandThrew?.Invoke(command.Name, exception);
    }
}
