using System.Buffers;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>PFADD, PFCOUNT and PFMERGE.</summary>
internal static class HyperLogLogCommands
{
    // The time to add an element, and to merge one HyperLogLog into another, in nanoseconds.
    private const long ElementWork = 200;
    private const long MergeWork = 60_000;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("pfadd", PfAdd),
        new("pfcount", PfCount),
        new("pfmerge", PfMerge),
    ];

    // PFADD key [element [element ...]]
    private static void PfAdd(in RespRequest request, CommandContext context)
    {
        if (context.TryGiveWay(request.Count * ElementWork))
            return;
        var elements = new RequestNames(request);
        byte[] memory = ArrayPool<byte>.Shared.Rent(HllEditor.MemorySize);
        using var raises = new HllRaises(elements.Count);
        for (int i = 0; i < elements.Count; i++)
            raises.Add(elements.GetKey(i));
        var addition = new HllAddition(raises.Items, memory);
        var status = context.Store.Update(request[1], ref addition);
        if (status is WriteStatus.Done or WriteStatus.ConditionNotMet && addition.Fault == HllFault.None)
            context.Reply.ZeroOrOne(status == WriteStatus.Done);
        else
            Refuse(status, addition.Fault, context.Reply);
        ArrayPool<byte>.Shared.Return(memory);
    }

    // PFCOUNT key [key ...]
    private static void PfCount(in RespRequest request, CommandContext context)
    {
        if (request.Count == 2)
            CountOne(request[1], context);
        else if (!context.TryGiveWay(request.Count * MergeWork))
            CountUnion(request, context);
    }

    private static void CountOne(ReadOnlySpan<byte> key, CommandContext context)
    {
        byte[] memory = ArrayPool<byte>.Shared.Rent(HllEditor.MemorySize);
        var count = new HllCount(memory);
        var status = context.Store.Update(key, ref count);
        // Without room for the number it is computed again the next time.
        bool isRead = status is WriteStatus.Done or WriteStatus.ConditionNotMet or WriteStatus.OutOfMemory;
        if (isRead && count.Fault == HllFault.None)
            context.Reply.Integer(count.Cardinality);
        else
            Refuse(status, count.Fault, context.Reply);
        ArrayPool<byte>.Shared.Return(memory);
    }

    private static void CountUnion(in RespRequest request, CommandContext context)
    {
        byte[] most = ArrayPool<byte>.Shared.Rent(HllFormat.Registers);
        if (TryUnite(request, context, most, leavesOutFirst: false, out _))
            context.Reply.Integer(HllEstimate.OfRegisters(most.AsSpan(0, HllFormat.Registers)));
        ArrayPool<byte>.Shared.Return(most);
    }

    // PFMERGE destkey [sourcekey [sourcekey ...]]
    private static void PfMerge(in RespRequest request, CommandContext context)
    {
        if (context.TryGiveWay(request.Count * MergeWork))
            return;
        byte[] most = ArrayPool<byte>.Shared.Rent(HllFormat.Registers);
        byte[] memory = ArrayPool<byte>.Shared.Rent(HllEditor.MemorySize);
        // The destination is merged when it is written.
        if (TryUnite(request, context, most, leavesOutFirst: true, out bool isDense))
        {
            var merge = new HllMerge(most.AsSpan(0, HllFormat.Registers), isDense, memory);
            var status = context.Store.Update(request[1], ref merge);
            if (status == WriteStatus.Done)
                context.Reply.Ok();
            else
                Refuse(status, merge.Fault, context.Reply);
        }

        ArrayPool<byte>.Shared.Return(memory);
        ArrayPool<byte>.Shared.Return(most);
    }

    /// <summary>The highest of each register of all keys, as of one moment; or replies with an error.</summary>
    private static bool TryUnite(
        in RespRequest request, CommandContext context, byte[] most, bool leavesOutFirst, out bool isDense)
    {
        most.AsSpan(0, HllFormat.Registers).Clear();
        byte[] buffer = ArrayPool<byte>.Shared.Rent(HllFormat.LengthMax);
        using var memory = context.BorrowList();
        var keys = HllKeys.Of(request, context, out var fault);
        var union = new HllUnion(memory, buffer, most) { LeavesOutFirst = leavesOutFirst };
        context.Store.GetMany(ref keys, ref union);
        isDense = union.IsDense;
        if (union.Fault != HllFault.None)
            fault = union.Fault; // Of an earlier key.
        ArrayPool<byte>.Shared.Return(buffer);
        if (fault != HllFault.None)
            context.Reply.Refuse(fault);
        return fault == HllFault.None;
    }

    /// <summary>Replies why a key was not read, or not written.</summary>
    public static void Refuse(WriteStatus status, HllFault fault, RespReplyWriter reply)
    {
        if (status == WriteStatus.ValueTooLong)
            reply.Refuse(HllFault.OtherString); // No HyperLogLog is so long.
        else if (fault != HllFault.None)
            reply.Refuse(fault);
        else
            reply.Refusal(status);
    }
}
