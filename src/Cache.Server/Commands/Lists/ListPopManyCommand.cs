using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Lists;

/// <summary>LMPOP: takes elements from the first list of some that has any.</summary>
internal static class ListPopManyCommand
{
    // With more, whole pages would be locked, and others would wait.
    private const int LockedKeysMax = 64;

    // A small list has fewer elements; of a large one a step is taken while all keys are locked.
    private const long SmallElementsMax = 1024;
    private const long StepElements = 128;

    // A small one takes fewer bytes of memory; and the most that is told of a pop.
    private const long SmallBytesMax = 16 << 10;
    private const long WrittenBytesMax = 4096;

    // The time to look for a key, in nanoseconds.
    private const long KeyWork = 300;

    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("lmpop", LMPop)];

    // LMPOP numkeys key [key ...] LEFT | RIGHT [COUNT count]
    private static void LMPop(in RespRequest request, CommandContext context)
    {
        if (!TryParse(request, 1, context.Reply, out var keys, out var end, out long count)
            || TryGiveWay(keys, context))
        {
            return;
        }

        using var elements = context.BorrowList();
        var status = Pop(keys, end, count, elements, context.Store, out int index);
        if (status == WriteStatus.Done)
            Reply(keys.GetKey(index), elements, context.Reply);
        else if (status == WriteStatus.NotFound)
            context.Reply.NullArray();
        else
            context.Reply.Refusal(status);
    }

    /// <summary>Whether it looks for so many keys that it is too much work for this thread.</summary>
    public static bool TryGiveWay(RequestSlice keys, CommandContext context) =>
        context.TryGiveWay(keys.Count * KeyWork);

    /// <summary>The reply: the key, and its elements.</summary>
    public static void Reply(ReadOnlySpan<byte> key, ByteStringList elements, RespReplyWriter reply)
    {
        reply.ArrayHeader(2);
        reply.Bulk(key);
        elements.WriteTo(reply);
    }

    /// <summary>Reads numkeys key [key ...] LEFT | RIGHT [COUNT count], from an argument to the last one.</summary>
    /// <returns>False if an error was replied.</returns>
    public static bool TryParse(
        in RespRequest request, int first, RespReplyWriter reply, out RequestSlice keys, out ListEnd end,
        out long count)
    {
        keys = default;
        end = default;
        count = 1;
        if (!RespInteger.TryParse(request[first], out long number) || number < 1)
        {
            reply.Error("ERR numkeys should be greater than 0"u8);
            return false;
        }

        if (number >= request.Count - first - 1)
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        keys = new RequestSlice(request, first + 1, (int)number);
        int next = first + 1 + keys.Count;
        return ListEndName.TryParse(request[next], reply, out end)
            && TryParseCount(request, next + 1, reply, out count);
    }

    private static bool TryParseCount(in RespRequest request, int first, RespReplyWriter reply, out long count)
    {
        count = 1;
        if (request.Count == first)
            return true;
        if (request.Count == first + 1 || !request[first].Is("COUNT"u8))
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        if (!RespInteger.TryParse(request[first + 1], out count) || count < 1)
            reply.Error("ERR count should be greater than 0"u8);
        else if (request.Count > first + 2)
            reply.Error(ErrorTexts.Syntax);
        else
            return true;
        return false;
    }

    /// <summary>Takes elements from the first list that has any.</summary>
    /// <remarks>
    /// That a list is empty counts only at the moment in which another one is changed: so then the keys up to that one
    /// are locked, unless they are many.
    /// </remarks>
    public static WriteStatus Pop(
        RequestSlice keys, ListEnd end, long count, ByteStringList elements, CacheStore store, out int index)
    {
        var sink = new ListElementsSink(elements);
        index = 0;
        var status = store.List(keys.GetKey(0)).PopMany(end, count, ref sink);
        if (status == WriteStatus.NotFound && keys.Count is > 1 and <= LockedKeysMax)
        {
            var transaction = new PopFirst(keys, end, count, elements, store.Keyspace);
            store.Transact(ref transaction);
            (status, index) = (transaction.Status, transaction.Index);
            long rest = count - elements.Count;
            if (status == WriteStatus.Done && rest > 0 && transaction.IsLarge && elements.Count >= StepElements)
                store.List(keys.GetKey(index)).PopMany(end, rest, ref sink);
        }

        for (int i = 1; keys.Count > LockedKeysMax && i < keys.Count && status == WriteStatus.NotFound; i++)
        {
            status = store.List(keys.GetKey(i)).PopMany(end, count, ref sink);
            index = i;
        }

        return status;
    }

    private ref struct PopFirst(
        RequestSlice keys, ListEnd end, long count, ByteStringList elements, int keyspace)
        : ITransaction
    {
        private readonly RequestSlice _keys = keys;

        public readonly int KeyCount => _keys.Count;

        public readonly int WriteCount => 1;

        public readonly long WrittenBytes => WrittenBytesMax; // It gets shorter.

        /// <summary>Whether that list is large, so that a step was taken of it.</summary>
        public bool IsLarge { get; private set; }

        public WriteStatus Status { get; private set; }

        /// <summary>Which key's list had elements.</summary>
        public int Index { get; private set; }

        public readonly ReadOnlySpan<byte> GetKey(int index) => _keys.GetKey(index);

        public readonly int GetKeyspace(int index) => keyspace;

        public void Run(CacheStore store)
        {
            var sink = new ListElementsSink(elements);
            Status = WriteStatus.NotFound;
            for (Index = 0; Index < KeyCount; Index++)
            {
                IsLarge = store.TryPeekInfo(GetKey(Index), out var info) && info.MemoryBytes > SmallBytesMax;
                long most = Math.Min(count, IsLarge ? StepElements : SmallElementsMax);
                Status = store.List(GetKey(Index)).PopMany(end, most, ref sink);
                if (Status != WriteStatus.NotFound)
                    return;
            }
        }
    }
}
