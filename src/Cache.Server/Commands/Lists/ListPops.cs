using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Popping;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Lists;

/// <summary>LMPOP, and the commands that wait for elements of lists.</summary>
internal static class ListPops
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("lmpop", KeyPops<ListPop>.PopMany),
        new("blpop", BLPop),
        new("brpop", BRPop),
        new("blmpop", KeyPops<ListPop>.BlockForMany),
    ];

    // BLPOP key [key ...] timeout
    private static void BLPop(in RespRequest request, CommandContext context) =>
        KeyPops<ListPop>.BlockForOne(request, new ListPop(ListEnd.Left), context);

    // BRPOP key [key ...] timeout
    private static void BRPop(in RespRequest request, CommandContext context) =>
        KeyPops<ListPop>.BlockForOne(request, new ListPop(ListEnd.Right), context);

    private readonly record struct ListPop(ListEnd End) : IPop<ListPop>
    {
        // The time to look for a key, in nanoseconds.
        private const long KeyWork = 300;

        public static EntryKind Kind => EntryKind.List;

        public static ReadOnlySpan<byte> FirstWord => "LEFT"u8;

        public static ReadOnlySpan<byte> LastWord => "RIGHT"u8;

        public static int TextsPerElement => 1;

        public static long SmallBytesMax => 16 << 10;

        public static long StepBytesMax => 4096; // It gets shorter.

        public static ListPop Of(bool isLast) => new(isLast ? ListEnd.Right : ListEnd.Left);

        public static bool TryGiveWay(RequestSlice keys, CommandContext context) =>
            context.TryGiveWay(keys.Count * KeyWork);

        public static void Reply(ReadOnlySpan<byte> key, ByteStringList taken, RespReplyWriter reply)
        {
            reply.ArrayHeader(2);
            reply.Bulk(key);
            taken.WriteTo(reply);
        }

        public static void ReplyOne(ReadOnlySpan<byte> key, ByteStringList taken, RespReplyWriter reply)
        {
            var texts = taken.GetEnumerator();
            texts.MoveNext();
            reply.ArrayHeader(2);
            reply.Bulk(key);
            reply.Bulk(texts.Current.Bytes);
        }

        public WriteStatus Take(CacheStore store, ReadOnlySpan<byte> key, long count, ByteStringList taken)
        {
            var sink = new ListElementsSink(taken);
            return store.List(key).PopMany(End, count, ref sink);
        }
    }
}
