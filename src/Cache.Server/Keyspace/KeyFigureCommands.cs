using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Keyspace;

/// <summary>CACHE TOPKEYS and CACHE PREFIXES: which keys, and which kinds of keys, take and make most.</summary>
internal static class KeyFigureCommands
{
    private const int TopKeysDefault = 16;
    private const int TopKeysMax = 1024;
    private const int PrefixesDefault = 32;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("cache|prefixes", Prefixes),
        new("cache|topkeys", TopKeys),
    ];

    // CACHE TOPKEYS BY REQUESTS|READS|WRITES|BYTES|SIZE [COUNT count]
    private static void TopKeys(in RespRequest request, CommandContext context)
    {
        long count = TopKeysDefault;
        bool isCounted = request.Count == 6 && request[4].Is("COUNT"u8);
        bool isBySize = request[3].Is("SIZE"u8);
        var order = TopKey.OrderOf(request[3]);
        if ((request.Count != 4 && !isCounted) || !request[2].Is("BY"u8) || (order is null && !isBySize))
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (isCounted && (!RespInteger.TryParse(request[5], out count) || count is < 1 or > TopKeysMax))
            context.Reply.Error("ERR COUNT must be between 1 and 1024"u8);
        else if (isBySize)
            ShowLargest((int)count, context);
        else
            ShowUsed(TopKey.Find(context.Server, order!), (int)count, context.Reply);
    }

    private static void ShowUsed(List<TopKey> keys, int count, RespReplyWriter reply)
    {
        int shown = Math.Min(count, keys.Count);
        reply.ArrayHeader(shown);
        for (int i = 0; i < shown; i++)
        {
            var key = keys[i];
            reply.MapHeader(6);
            reply.Bulk("key"u8);
            reply.Bulk(key.Key.Key);
            Write("db"u8, key.Key.Database, reply);
            Write("reads"u8, Math.Ceiling(key.Key.ReadsPerSecond), reply);
            Write("writes"u8, Math.Ceiling(key.Key.WritesPerSecond), reply);
            Write("bytes"u8, key.BytesPerSecond, reply);
            Write("length"u8, key.Length, reply);
        }
    }

    private static void ShowLargest(int count, CommandContext context)
    {
        var pass = context.Server.KeyspacePass;
        var keys = pass?.Largest ?? [];
        long age = AgeOf(pass, context.Server);
        var reply = context.Reply;
        int shown = Math.Min(count, keys.Count);
        reply.ArrayHeader(shown);
        for (int i = 0; i < shown; i++)
        {
            reply.MapHeader(5);
            reply.Bulk("key"u8);
            reply.Bulk(keys[i].Key);
            Write("db"u8, keys[i].Database, reply);
            Write("size"u8, keys[i].MemoryBytes, reply);
            Write("length"u8, keys[i].Length, reply);
            Write("age"u8, age, reply);
        }
    }

    // The seconds since the entries were counted; -1: they were not yet.
    private static long AgeOf(KeyspacePass? pass, ServerState server) =>
        pass is null ? -1 : (server.NowMs - pass.EndedAtMs) / 1000;

    // CACHE PREFIXES [BY SIZE|KEYS|READS|WRITES|BYTES] [COUNT count]
    private static void Prefixes(in RespRequest request, CommandContext context)
    {
        long count = PrefixesDefault;
        var order = PrefixRow.OrderOf("SIZE"u8);
        for (int i = 2; i < request.Count; i += 2)
        {
            bool isCount = request[i].Is("COUNT"u8);
            bool isOrder = request[i].Is("BY"u8);
            if (i + 1 < request.Count && isOrder)
                order = PrefixRow.OrderOf(request[i + 1]);
            if (i + 1 == request.Count || (!isCount && !isOrder) || order is null)
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return;
            }

            if (isCount && (!RespInteger.TryParse(request[i + 1], out count) || count is < 1 or > PrefixTable.CountMax))
            {
                context.Reply.Error("ERR COUNT must be between 1 and 256"u8);
                return;
            }
        }

        long age = AgeOf(context.Server.KeyspacePass, context.Server);
        Show(PrefixRow.Find(context.Server, order!), (int)count, age, context.Reply);
    }

    private static void Show(List<PrefixRow> rows, int count, long age, RespReplyWriter reply)
    {
        bool hasRest = rows.Count > 0 && rows[^1].IsRest;
        int shown = Math.Min(count, rows.Count - (hasRest ? 1 : 0));
        reply.ArrayHeader(shown + (hasRest ? 1 : 0));
        for (int i = 0; i < shown; i++)
            Write(rows[i], age, reply);
        if (hasRest)
            Write(rows[^1], age, reply);
    }

    private static void Write(PrefixRow row, long age, RespReplyWriter reply)
    {
        reply.MapHeader(10);
        reply.Bulk("prefix"u8);
        reply.Bulk(row.Prefix);
        Write("keys"u8, row.Figures.Keys, reply);
        Write("size"u8, row.Figures.Size, reply);
        Write("expiring"u8, row.Figures.Expiring, reply);
        Write("ttl"u8, row.MeanTimeToLiveMs, reply);
        Write("reads"u8, Math.Ceiling(row.Figures.Reads), reply);
        Write("hits"u8, Math.Ceiling(row.Figures.Hits), reply);
        Write("writes"u8, Math.Ceiling(row.Figures.Writes), reply);
        Write("bytes"u8, row.Figures.Traffic, reply);
        Write("age"u8, age, reply);
    }

    private static void Write(ReadOnlySpan<byte> name, double value, RespReplyWriter reply)
    {
        reply.Bulk(name);
        reply.Integer((long)value);
    }
}
