using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Strings;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Commands;

/// <summary>The fast path of the most common requests, several at a time.</summary>
/// <remarks>
/// All keys are hashed and their memory is prefetched before the first request is executed; then each is executed in
/// order, as by <see cref="CommandDispatcher.Execute"/>. The client has authenticated and wants its replies.
/// </remarks>
internal static class CommonCommands
{
    /// <summary>Executes requests in order and writes their replies.</summary>
    /// <param name="input">The bytes that contain the requests.</param>
    /// <param name="requests">At most <see cref="CommonRequestReader.CountMax"/>.</param>
    /// <param name="unflushedBytesMax">
    /// Above this many unsent bytes, replies are flushed before more are written.
    /// </param>
    /// <param name="context">The client that sent them.</param>
    /// <returns>
    /// The number of executed requests: all, unless the replies must be flushed, or the next one gives way.
    /// </returns>
    public static int Execute(
        ReadOnlySpan<byte> input,
        ReadOnlySpan<CommonRequest> requests,
        int unflushedBytesMax,
        CommandContext context)
    {
        var hashes = default(Hashes);
        Prefetch(input, requests, hashes, context);
        int count = 0;
        long unflushedBytes = context.Reply.UnflushedBytes;
        long start = context.BeginCall();
        try
        {
            ExecuteInOrder(input, requests, hashes, unflushedBytesMax, context, ref count);
        }
#pragma warning disable CA1031 // An exception of a command is a defect of this server; the client gets an error.
        catch (Exception exception)
#pragma warning restore CA1031
        {
            CommandDispatcher.ReplyToDefect(context.Client.LastCommand!, exception, context);
        }

        long ticks = context.EndCall(start);
        context.Counters.Traffic.Commands += count;
        if (context.GaveWay)
        {
            // Executed as other requests are, where it gives way again.
            CommandDispatcher.TakeBackCall(context.Server.Commands.Get, context);
            context.Stay();
            count--;
        }

        if (count > 0)
        {
            EndCalls(input, requests[..count], ticks, context);
            if (context.IsLarge(requests[count - 1].End, context.Reply.UnflushedBytes - unflushedBytes))
                NoteLarge(input, requests[..count], context);
        }

        return count;
    }

    // A single key gains nothing from prefetching in two steps.
    private static void Prefetch(
        ReadOnlySpan<byte> input,
        ReadOnlySpan<CommonRequest> requests,
        Span<KeyHash> hashes,
        CommandContext context)
    {
        var store = context.Store;
        for (int i = 0; i < requests.Length; i++)
            hashes[i] = store.BeginPrefetch(requests[i].KeyIn(input));
        if (requests.Length == 1)
            return;

        // A value's length is unknown before it is found; mostly it is the length of the previous one.
        int readBytes = context.Reply.LastBulkLength;
        for (int i = 0; i < requests.Length; i++)
        {
            ref readonly var request = ref requests[i];
            store.EndPrefetch(hashes[i], request.KeyLength + (request.IsGet ? readBytes : request.ValueLength));
        }
    }

    private static void ExecuteInOrder(
        ReadOnlySpan<byte> input,
        ReadOnlySpan<CommonRequest> requests,
        ReadOnlySpan<KeyHash> hashes,
        int unflushedBytesMax,
        CommandContext context,
        ref int count)
    {
        for (int i = 0; i < requests.Length; i++)
        {
            ref readonly var request = ref requests[i];
            count = i + 1;
            if (request.IsGet)
                Get(request.KeyIn(input), hashes[i], context);
            else
                Set(request.KeyIn(input), hashes[i], request.ValueIn(input), context);
            if (context.Reply.UnflushedBytes >= unflushedBytesMax || context.GaveWay)
                return;
        }
    }

    private static void Get(ReadOnlySpan<byte> key, KeyHash hash, CommandContext context)
    {
        BeginCall(context.Server.Commands.Get, context);
        StringReadCommands.Get(key, hash, context);
    }

    private static void Set(ReadOnlySpan<byte> key, KeyHash hash, ReadOnlySpan<byte> value, CommandContext context)
    {
        BeginCall(context.Server.Commands.Set, context);
        var status = context.Store.Set(key, hash, value);
        if (status == WriteStatus.Done)
        {
            context.Reply.Ok();
        }
        else
        {
            context.Reply.Refusal(status);
            CommandDispatcher.CountFailure(context.Server.Commands.Set, context.Reply, context);
        }
    }

    private static void BeginCall(CommandDefinition command, CommandContext context)
    {
        context.Client.LastCommand = command;
        context.Counters.CountCall(command.Index);
    }

    // The calls of a group share its time equally: a clock reading costs half of a GET.
    private static void EndCalls(
        ReadOnlySpan<byte> input, ReadOnlySpan<CommonRequest> requests, long ticks, CommandContext context)
    {
        int gets = 0;
        foreach (ref readonly var request in requests)
            gets += request.IsGet ? 1 : 0;
        var commands = context.Server.Commands;
        bool isTracked = context.TracksLatency;
        long getTicks = ticks * gets / requests.Length;
        if (gets > 0)
            context.Counters.AddTime(commands.Get.Index, getTicks, gets, isTracked);
        if (gets < requests.Length)
            context.Counters.AddTime(commands.Set.Index, ticks - getTicks, requests.Length - gets, isTracked);
        if (context.IsSampleDue(requests.Length))
            TakeSamples(input, requests, context);
        if (context.IsSlow(ticks))
            NoteSlow(input, requests, ticks, context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Rare.
    private static void TakeSamples(
        ReadOnlySpan<byte> input, ReadOnlySpan<CommonRequest> requests, CommandContext context)
    {
        for (int i = context.TakeSample(requests.Length); i >= 0; i = context.TakeSample(requests.Length))
            SampledCalls.Add(requests[i].KeyIn(input), isWrite: !requests[i].IsGet, context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Cold.
    private static void NoteSlow(
        ReadOnlySpan<byte> input, ReadOnlySpan<CommonRequest> requests, long ticks, CommandContext context)
    {
        var commands = context.Server.Commands;
        var first = requests[0].IsGet ? commands.Get : commands.Set;
        byte[][] excerpt = requests is [{ IsGet: false }]
            ? RequestExcerpt.OfSet(first, requests[0].KeyIn(input), requests[0].ValueIn(input))
            : RequestExcerpt.OfGroup(first, requests[0].KeyIn(input), requests.Length);
        SlowCalls.Note(first, excerpt, ticks, context);
    }

    // The group is large: perhaps one of its requests, or replies, is. A value is as long as it is now.
    [MethodImpl(MethodImplOptions.NoInlining)] // Cold.
    private static void NoteLarge(
        ReadOnlySpan<byte> input, ReadOnlySpan<CommonRequest> requests, CommandContext context)
    {
        var commands = context.Server.Commands;
        int start = 0;
        foreach (ref readonly var request in requests)
        {
            var key = request.KeyIn(input);
            long replyBytes = request.IsGet && context.Store.TryPeekInfo(key, out var info) ? info.Length : 0;
            if (context.IsLarge(request.End - start, replyBytes))
            {
                byte[][] excerpt = request.IsGet
                    ? RequestExcerpt.OfGroup(commands.Get, key, count: 1)
                    : RequestExcerpt.OfSet(commands.Set, key, request.ValueIn(input));
                LargeCalls.Note(excerpt, request.End - start, replyBytes, context);
            }

            start = request.End;
        }
    }

    // Not stackalloc: such a method skips tiered compilation and its profile.
    [InlineArray(CommonRequestReader.CountMax)]
    private struct Hashes
    {
        private KeyHash _first;
    }
}
