using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Lists;

/// <summary>LMPOP: takes elements from the first list of some that has any.</summary>
internal static class ListPopManyCommand
{
    // The index of the first key.
    private const int FirstKey = 2;

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
        var reply = context.Reply;
        if (!RespInteger.TryParse(request[1], out long keys) || keys < 1)
        {
            reply.Error("ERR numkeys should be greater than 0"u8);
            return;
        }

        if (keys >= request.Count - FirstKey)
        {
            reply.Error(ErrorTexts.Syntax);
            return;
        }

        int next = FirstKey + (int)keys;
        if (ListEndName.TryParse(request[next], reply, out var end)
            && TryParseCount(request, next + 1, reply, out long count))
        {
            if (!context.TryGiveWay(keys * KeyWork))
                Pop(request, (int)keys, end, count, context);
        }
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

    // That a list is empty counts only at the moment in which another one is changed: so then the keys up to that one
    // are locked, unless they are many.
    private static void Pop(in RespRequest request, int keys, ListEnd end, long count, CommandContext context)
    {
        using var elements = context.BorrowList();
        var sink = new ListElementsSink(elements);
        int from = 0;
        var status = context.Store.List(request[FirstKey]).PopMany(end, count, ref sink);
        if (status == WriteStatus.NotFound && keys is > 1 and <= LockedKeysMax)
        {
            var transaction = new PopFirst(request, keys, end, count, elements, context.Store.Keyspace);
            context.Store.Transact(ref transaction);
            (status, from) = (transaction.Status, transaction.Index);
            long rest = count - elements.Count;
            if (status == WriteStatus.Done && rest > 0 && transaction.IsLarge && elements.Count >= StepElements)
                context.Store.List(request[FirstKey + from]).PopMany(end, rest, ref sink);
        }

        for (int i = 1; keys > LockedKeysMax && i < keys && status == WriteStatus.NotFound; i++)
        {
            status = context.Store.List(request[FirstKey + i]).PopMany(end, count, ref sink);
            from = i;
        }

        if (status == WriteStatus.Done)
        {
            context.Reply.ArrayHeader(2);
            context.Reply.Bulk(request[FirstKey + from]);
            elements.WriteTo(context.Reply);
        }
        else if (status == WriteStatus.NotFound)
        {
            context.Reply.NullArray();
        }
        else
        {
            context.Reply.Refusal(status);
        }
    }

    private ref struct PopFirst(
        in RespRequest request, int keys, ListEnd end, long count, ByteStringList elements, int keyspace)
        : ITransaction
    {
        private readonly RespRequest _request = request;

        public readonly int KeyCount => keys;

        public readonly int WriteCount => 1;

        public readonly long WrittenBytes => WrittenBytesMax; // It gets shorter.

        /// <summary>Whether that list is large, so that a step was taken of it.</summary>
        public bool IsLarge { get; private set; }

        public WriteStatus Status { get; private set; }

        /// <summary>Which key's list had elements.</summary>
        public int Index { get; private set; }

        public readonly ReadOnlySpan<byte> GetKey(int index) => _request[FirstKey + index];

        public readonly int GetKeyspace(int index) => keyspace;

        public void Run(CacheStore store)
        {
            var sink = new ListElementsSink(elements);
            Status = WriteStatus.NotFound;
            for (Index = 0; Index < keys; Index++)
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
