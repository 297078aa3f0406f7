using System.Runtime.InteropServices;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Streams;

/// <summary>Which streams an XREADGROUP is served of at once, and how much work that is.</summary>
/// <remarks>
/// What a consumer has is told in any case, and of new entries if there are some. A key that is named again has what
/// its names before leave: its new entries are counted when it is named for the second time, and not again. So the
/// time grows with the number of names alone.
/// </remarks>
internal static class ServedStreams
{
    // The time to deliver an entry, in nanoseconds.
    private const long EntryWork = 1_000;

    /// <summary>Finds them.</summary>
    /// <param name="keys">The streams.</param>
    /// <param name="group">The group.</param>
    /// <param name="ids">
    /// Behind which id of what the consumer has; null: new entries. Where there are none, it becomes the greatest id,
    /// behind which nothing can be.
    /// </param>
    /// <param name="count">The most entries of each stream.</param>
    /// <param name="context">The client.</param>
    /// <param name="work">The nanoseconds that it takes to deliver them, about.</param>
    /// <returns>How many there are.</returns>
    public static int Find(
        RequestSlice keys, ReadOnlySpan<byte> group, StreamId?[] ids, long count, CommandContext context,
        out long work)
    {
        var named = keys.Count > 1 ? new Dictionary<byte[], NewEntries>(new KeyBytesComparer()) : null;
        bool isMeasured = context.SharesThread && count > Turn.WorkMax / EntryWork / keys.Count;
        work = 0;
        int served = 0;
        for (int i = 0; i < keys.Count; i++)
        {
            var stream = context.Store.Stream(keys.GetKey(i));
            bool isNew = ids[i] is null;
            bool isServed = !isNew;
            if (isNew)
                stream.FindGroup(group, out _, out _, out isServed);
            if (isNew && isServed && named is not null)
                isServed = HasMore(named, keys.GetKey(i), group, count, context);
            if (!isServed)
            {
                ids[i] = StreamId.Max;
                continue;
            }

            served++;
            if (isMeasured && stream.GetInfo(out var info) == ReadStatus.Found)
                work += Math.Min(count, isNew ? info.Length : info.Elements) * EntryWork;
        }

        return served;
    }

    private static bool HasMore(
        Dictionary<byte[], NewEntries> named, ReadOnlySpan<byte> key, ReadOnlySpan<byte> group, long count,
        CommandContext context)
    {
        ref var entries = ref CollectionsMarshal.GetValueRefOrAddDefault(
            named.GetAlternateLookup<ReadOnlySpan<byte>>(), key, out _);
        int before = entries.Times++;
        if (before == 0)
            return true;
        if (before == 1)
            entries.Count = CountNew(key, group, context);
        return count < long.MaxValue / entries.Times && entries.Count > before * count;
    }

    private static long CountNew(ReadOnlySpan<byte> key, ReadOnlySpan<byte> group, CommandContext context)
    {
        using var snapshot = context.Store.Stream(key).TakeSnapshot(out var status);
        if (status != ReadStatus.Found || !snapshot.TryGetGroup(group, out var info))
            return 0;
        var sink = default(CountingSink);
        snapshot.GetRange(info.LastDeliveredId.Next, StreamId.Max, long.MaxValue, isReversed: false, ref sink);
        return sink.Count;
    }

    // Of one key: how often it was named, and how many new entries it has, once that is asked.
    private record struct NewEntries(int Times, long Count);
}
