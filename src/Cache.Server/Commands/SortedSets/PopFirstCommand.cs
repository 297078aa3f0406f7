using System.Buffers.Binary;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>ZMPOP: members of the first of several sorted sets that has any.</summary>
internal static class PopFirstCommand
{
    // The record of a small sorted set has at most so many bytes, and what a step removes of a large one.
    private const long SmallBytesMax = 4096;
    private const long StepBytesMax = 168 << 10;

    // A small one has fewer members.
    private const long SmallMembersMax = 1024;
    private const long StepMembers = 128;

    // With more, whole pages would be locked, and others would wait: they are looked at one after the other.
    private const int LockedKeysMax = 64;

    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("zmpop", ZMPop)];

    // ZMPOP numkeys key [key ...] MIN | MAX [COUNT count]
    private static void ZMPop(in RespRequest request, CommandContext context)
    {
        if (!TryParse(request, 1, context.Reply, out var keys, out bool takesHighest, out long count)
            || KeysWork.TryGiveWay(keys, context))
        {
            return;
        }

        using var popped = context.BorrowList();
        var status = Pop(keys, takesHighest, count, popped, context.Store, out int index);
        if (status == WriteStatus.Done)
            Reply(keys.GetKey(index), popped, context.Reply);
        else if (status == WriteStatus.NotFound)
            context.Reply.NullArray();
        else
            context.Reply.Refusal(status);
    }

    /// <summary>Takes members of the first sorted set that has any; each is followed by its score.</summary>
    public static WriteStatus Pop(
        RequestSlice keys, bool takesHighest, long count, ByteStringList popped, CacheStore store, out int index)
    {
        var body = new Body(keys, popped, store.Keyspace, takesHighest, count);
        if (keys.Count is 1 or > LockedKeysMax)
        {
            body.Run(store);
        }
        else
        {
            body.HasLarge = HasLarge(keys, store);
            store.Transact(ref body);
            body.PopRest(store);
        }

        index = body.Index;
        return body.Status;
    }

    /// <summary>The reply: the key, and its members with their scores.</summary>
    public static void Reply(ReadOnlySpan<byte> key, ByteStringList popped, RespReplyWriter reply)
    {
        reply.ArrayHeader(2);
        reply.Bulk(key);
        reply.ArrayHeader(popped.Count / 2);
        for (var texts = popped.GetEnumerator(); texts.MoveNext();)
        {
            reply.ArrayHeader(2);
            ReplyMember(ref texts, reply);
        }
    }

    /// <summary>The reply of BZPOPMIN: the key, the member, its score.</summary>
    public static void ReplyOne(ReadOnlySpan<byte> key, ByteStringList popped, RespReplyWriter reply)
    {
        reply.ArrayHeader(3);
        reply.Bulk(key);
        var texts = popped.GetEnumerator();
        texts.MoveNext();
        ReplyMember(ref texts, reply);
    }

    private static void ReplyMember(ref ByteStringList.Enumerator texts, RespReplyWriter reply)
    {
        reply.Bulk(texts.Current.Bytes);
        texts.MoveNext();
        reply.Double(BinaryPrimitives.ReadDoubleLittleEndian(texts.Current.Bytes));
    }

    /// <summary>Reads numkeys key [key ...] MIN | MAX [COUNT count], from an argument to the last one.</summary>
    /// <returns>False if an error was replied.</returns>
    public static bool TryParse(
        in RespRequest request, int first, RespReplyWriter reply, out RequestSlice keys, out bool takesHighest,
        out long count)
    {
        keys = default;
        takesHighest = false;
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
        int where = first + 1 + keys.Count;
        takesHighest = request[where].Is("MAX"u8);
        bool hasCount = where + 3 == request.Count && request[where + 1].Is("COUNT"u8);
        if ((!takesHighest && !request[where].Is("MIN"u8)) || (!hasCount && where + 1 != request.Count))
        {
            // Redis reads the first count before it meets a second one.
            bool isCountWrong = (takesHighest || request[where].Is("MIN"u8)) && where + 3 < request.Count
                && request[where + 1].Is("COUNT"u8) && !TryParseCount(request[where + 2], out count);
            reply.Error(isCountWrong ? CountError : ErrorTexts.Syntax);
            return false;
        }

        if (!hasCount || TryParseCount(request[where + 2], out count))
            return true;
        reply.Error(CountError);
        return false;
    }

    private static ReadOnlySpan<byte> CountError => "ERR count should be greater than 0"u8;

    private static bool TryParseCount(ReadOnlySpan<byte> text, out long count) =>
        RespInteger.TryParse(text, out count) && count > 0;

    private static bool HasLarge(RequestSlice keys, CacheStore store)
    {
        for (int i = 0; i < keys.Count; i++)
        {
            if (store.TryPeekCollection(keys.GetKey(i), out var info) && info.Count > 0
                && store.TryPeekInfo(keys.GetKey(i), out var entry) && entry.MemoryBytes > SmallBytesMax)
            {
                return true;
            }
        }

        return false;
    }

    private ref struct Body(RequestSlice keys, ByteStringList popped, int keyspace, bool takesHighest, long count)
        : ITransaction
    {
        private readonly RequestSlice _keys = keys;

        public WriteStatus Status { get; private set; }

        /// <summary>Which of the keys had members.</summary>
        public int Index { get; private set; }

        public readonly int KeyCount => _keys.Count;

        public readonly int WriteCount => 1;

        public readonly long WrittenBytes => HasLarge ? StepBytesMax : SmallBytesMax;

        /// <summary>Whether one of them may be a large one.</summary>
        public bool HasLarge { get; set; }

        public readonly ReadOnlySpan<byte> GetKey(int index) => _keys.GetKey(index);

        public readonly int GetKeyspace(int index) => keyspace;

        public void Run(CacheStore store)
        {
            Status = WriteStatus.NotFound;
            for (int i = 0; i < _keys.Count && Status == WriteStatus.NotFound; i++)
            {
                // More than a small one has are taken in steps, without the locks of all keys.
                var sink = new PoppedSink(popped);
                long taken = _keys.Count == 1 ? count : Math.Min(count, HasLarge ? StepMembers : SmallMembersMax);
                Status = store.SortedSet(_keys.GetKey(i)).Pop(taken, takesHighest, ref sink);
                Index = i;
            }
        }

        /// <summary>Goes on with a large one.</summary>
        public readonly void PopRest(CacheStore store)
        {
            long taken = popped.Count / 2;
            if (Status != WriteStatus.Done || taken >= count || !HasLarge || taken < StepMembers)
                return;
            var sink = new PoppedSink(popped);
            store.SortedSet(_keys.GetKey(Index)).Pop(count - taken, takesHighest, ref sink);
        }
    }

    /// <summary>Keeps members and scores: the reply is written when the keys are unlocked.</summary>
    internal readonly struct PoppedSink(ByteStringList popped) : IScoredMemberSink
    {
        public bool IsFull => false;

        public void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> member, double score)
        {
            popped.Add(member);
            BinaryPrimitives.WriteDoubleLittleEndian(popped.GetSpan(sizeof(double)), score);
            popped.Advance(sizeof(double));
        }
    }
}
