using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Dispatch;

/// <remarks>What a request may do, as far as it can be known before: writes, and room for them.</remarks>
internal static partial class CommandDispatcher
{
    // EXEC writes what its commands write, and a script what it says of itself.
    private static bool Writes(CommandDefinition command, in RespRequest request, CommandContext context) =>
        FindScriptFlags(command, request, context) is { } flags
            ? (flags & ScriptFlags.NoWrites) == 0
            : (command.Flags & CommandFlags.Write) != 0
                || (command.Role == TransactionRole.Exec
                    && context.Client.Transaction is Transaction { Queue.Writes: true });

    private static bool IsLikeWrite(CommandDefinition command, in RespRequest request, CommandContext context) =>
        FindScriptFlags(command, request, context) is null
        && (command.IsLikeWrite
            || (command.Role == TransactionRole.Exec
                && context.Client.Transaction is Transaction { Queue.HasLikeWrite: true }));

    // Of a script that is known; as in Redis, what it says comes before what is known of its command.
    private static ScriptFlags? FindScriptFlags(
        CommandDefinition command, in RespRequest request, CommandContext context) =>
        command.RunsScript
            ? CalledScript.FindFlags(command.Name, request, context.Server.Scripts, context.Server.Functions)
            : null;

    // Whether what is queued would be refused, or the script says nothing against that.
    [MethodImpl(MethodImplOptions.NoInlining)] // Only of EXEC and scripts.
    private static bool IsForWantOfMemory(CommandDefinition command, in RespRequest request, CommandContext context) =>
        command.RunsScript
            ? Grows(command, request, context) && !HasRoomFor(request.Length, context)
            : context.Client.Transaction is Transaction { Queue: { Grows: true } queue }
                && !HasRoomFor(queue.RequestBytes, context);

    // A script that says something of itself, and neither that it does not write nor that it needs no room.
    private static bool Grows(CommandDefinition command, in RespRequest request, CommandContext context) =>
        FindScriptFlags(command, request, context) is { } flags
        && (flags & (ScriptFlags.NoWrites | ScriptFlags.AllowOom)) == 0;

    // Where all entries may be evicted writes find room, in steps.
    private static bool HasRoomFor(long bytes, CommandContext context) =>
        context.Store.Eviction == EvictionPolicy.AllEntries || context.Store.TryMakeRoom(bytes);
}
