using System.Buffers.Binary;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Popping;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>ZMPOP, and the commands that wait for members of sorted sets.</summary>
internal static class SortedSetPops
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("zmpop", KeyPops<MemberPop>.PopMany),
        new("bzpopmin", BZPopMin),
        new("bzpopmax", BZPopMax),
        new("bzmpop", KeyPops<MemberPop>.BlockForMany),
    ];

    // BZPOPMIN key [key ...] timeout
    private static void BZPopMin(in RespRequest request, CommandContext context) =>
        KeyPops<MemberPop>.BlockForOne(request, new MemberPop(TakesHighest: false), context);

    // BZPOPMAX key [key ...] timeout
    private static void BZPopMax(in RespRequest request, CommandContext context) =>
        KeyPops<MemberPop>.BlockForOne(request, new MemberPop(TakesHighest: true), context);

    // Each member in the list is followed by its score.
    private readonly record struct MemberPop(bool TakesHighest) : IPop<MemberPop>
    {
        public static EntryKind Kind => EntryKind.SortedSet;

        public static ReadOnlySpan<byte> FirstWord => "MIN"u8;

        public static ReadOnlySpan<byte> LastWord => "MAX"u8;

        public static int TextsPerElement => 2;

        public static long SmallBytesMax => 4096;

        public static long StepBytesMax => 168 << 10;

        public static MemberPop Of(bool isLast) => new(isLast);

        public static bool TryGiveWay(RequestSlice keys, CommandContext context) =>
            KeysWork.TryGiveWay(keys, context);

        public static void Reply(ReadOnlySpan<byte> key, ByteStringList taken, RespReplyWriter reply)
        {
            reply.ArrayHeader(2);
            reply.Bulk(key);
            reply.ArrayHeader(taken.Count / TextsPerElement);
            for (var texts = taken.GetEnumerator(); texts.MoveNext();)
            {
                reply.ArrayHeader(2);
                ReplyMember(ref texts, reply);
            }
        }

        public static void ReplyOne(ReadOnlySpan<byte> key, ByteStringList taken, RespReplyWriter reply)
        {
            reply.ArrayHeader(3);
            reply.Bulk(key);
            var texts = taken.GetEnumerator();
            texts.MoveNext();
            ReplyMember(ref texts, reply);
        }

        public WriteStatus Take(CacheStore store, ReadOnlySpan<byte> key, long count, ByteStringList taken)
        {
            var sink = new PoppedSink(taken);
            return store.SortedSet(key).Pop(count, TakesHighest, ref sink);
        }

        private static void ReplyMember(ref ByteStringList.Enumerator texts, RespReplyWriter reply)
        {
            reply.Bulk(texts.Current.Bytes);
            texts.MoveNext();
            reply.Double(BinaryPrimitives.ReadDoubleLittleEndian(texts.Current.Bytes));
        }
    }

    private readonly struct PoppedSink(ByteStringList popped) : IScoredMemberSink
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
