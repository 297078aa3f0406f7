using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Keys;

/// <summary>The commands that scan all keys.</summary>
internal static class ScanCommands
{
    // The number of keys that KEYS reads from the store at a time: enough that the call itself costs nothing.
    private const int KeysPerStep = 1024;

    private const int ScanCountDefault = 10;

    // COUNT is a hint. More would delay other long commands: this is about 20 ms.
    private const int ScanCountMax = 100_000;

    // The time to scan a key, in nanoseconds.
    private const long KeyWork = 500;

    // The time after which other requests that wait for the same threads have a turn.
    private static readonly TimeSpan KeysStepTime = TimeSpan.FromMilliseconds(10);

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("keys", Keys),
        new("scan", Scan),
    ];

    // KEYS pattern
    private static void Keys(in RespRequest request, CommandContext context)
    {
        // Not if keys were found before the keyspace was cleared: they are the reply, and must be given back.
        if (context.Store.Count == 0 && context.Progress is null)
        {
            context.Reply.ArrayHeader(0);
            return;
        }

        if (context.TryGiveWay(long.MaxValue))
            return;
        var progress = context.Progress as KeysProgress
            ?? new KeysProgress(context.Store, context.FindReplyListBytesMax());
        context.Progress = progress; // The context gives it back, even after an exception.
        if (!TryGatherKeys(request[1], progress, context))
        {
            context.GiveWayWith(progress);
            return;
        }

        progress.Keys.WriteTo(context.Reply);
        context.EndProgress();
    }

    /// <returns>False if other clients must have a turn first.</returns>
    private static bool TryGatherKeys(ReadOnlySpan<byte> pattern, KeysProgress progress, CommandContext context)
    {
        var clock = context.Server.TimeProvider;
        long start = clock.GetTimestamp();
        do
        {
            var sink = new MatchingKeySink(pattern, progress.Keys);
            progress.Cursor = progress.Store.Scan(progress.Cursor, KeysPerStep, ref sink);
            if (progress.Cursor == 0 || progress.Keys.IsTooLong || context.Client.IsKilled)
                return true;
        }
        while (!context.IsElsewhere || clock.GetElapsedTime(start) < KeysStepTime);
        return false;
    }

    // SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]
    private static void Scan(in RespRequest request, CommandContext context)
    {
        if (!CursorArgument.TryParse(request[1], out ulong cursor))
        {
            context.Reply.Error(ErrorTexts.InvalidCursor);
            return;
        }

        ReadOnlySpan<byte> pattern = "*"u8;
        long count = ScanCountDefault;
        bool isOfType = false;
        var kind = EntryKind.None;
        for (int i = 2; i < request.Count; i += 2)
        {
            bool hasValue = i + 1 < request.Count;
            if (hasValue && request[i].Is("COUNT"u8))
            {
                if (!TryParseCount(request[i + 1], context.Reply, out count))
                    return;
            }
            else if (hasValue && request[i].Is("MATCH"u8))
            {
                pattern = request[i + 1];
            }
            else if (hasValue && request[i].Is("TYPE"u8))
            {
                isOfType = true;
                kind = TypeName.Parse(request[i + 1]);
            }
            else
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return;
            }
        }

        if (context.TryGiveWay(FindWork(Math.Min(count, ScanCountMax), pattern)))
            return;
        using var keys = context.BorrowReplyList();
        var sink = new MatchingKeySink(pattern, keys);
        cursor = context.Store.Scan(cursor, (int)Math.Min(count, ScanCountMax), kind, ref sink);
        if (isOfType && kind == EntryKind.None)
            keys.Clear(); // There is no such type.
        if (keys.IsTooLong)
        {
            keys.WriteTo(context.Reply);
            return;
        }

        context.Reply.ArrayHeader(2);
        context.Reply.BulkInteger((long)cursor);
        keys.WriteTo(context.Reply);
    }

    // A star at the end ends a match; one before may be tried at every byte of every key.
    private static long FindWork(long count, ReadOnlySpan<byte> pattern) =>
        pattern.IsEmpty || !pattern[..^1].Contains((byte)'*') ? count * (KeyWork + pattern.Length) : long.MaxValue;

    private static bool TryParseCount(ReadOnlySpan<byte> argument, RespReplyWriter reply, out long count)
    {
        if (!RespInteger.TryParse(argument, out count))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (count < 1)
            reply.Error(ErrorTexts.Syntax);
        else
            return true;
        return false;
    }
}
