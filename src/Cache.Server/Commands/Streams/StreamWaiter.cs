using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Protocol;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Streams;

/// <summary>A client that waits until one of several streams has an entry behind an id.</summary>
/// <remarks>
/// Every waiter of a stream gets its entries; so one that has to get nothing is no reason to ask no other.
/// </remarks>
/// <param name="client">The client.</param>
/// <param name="streams">The streams, with the id of each, behind which an entry must be.</param>
/// <param name="ids">The ids of all names of them, in the request's order.</param>
/// <param name="count">The most entries that are told.</param>
internal sealed class StreamWaiter(
    ClientSession client, Dictionary<byte[], StreamId> streams, StreamId[] ids, long count)
    : Waiter(client, client.Database, EntryKind.Stream, [.. streams.Keys])
{
    /// <summary>The ids of all names, where "$" is what it was.</summary>
    public ReadOnlySpan<StreamId> Ids => ids;

    protected internal override WaitOutcome TryServe(CacheStore store, byte[] key, RespReplyWriter reply)
    {
        var stream = store.Stream(key);
        var status = stream.GetInfo(out var info);
        if (status != ReadStatus.Found)
            return WaitOutcome.Empty;
        if (!streams.TryGetValue(key, out var id) || id >= info.LastEntryId)
            return WaitOutcome.Unmet;
        ReadReply.Begin(reply, 1);
        ReadReply.BeginStream(reply, key);
        var sink = new ShortReplySink(reply);
        status = stream.GetRange(id.Next, StreamId.Max, count, isReversed: false, ref sink);
        if (status != ReadStatus.Found || sink.Count == 0)
            return WaitOutcome.Unmet; // Removed since.
        return sink.IsFull ? WaitOutcome.Itself : WaitOutcome.Served;
    }

    // What is long is left to the waiter's own thread.
    private struct ShortReplySink(RespReplyWriter reply) : IStreamSink
    {
        private const int EntriesMax = 256;

        private long _bytes;

        public long Count { get; private set; }

        public readonly bool IsFull => Count > EntriesMax || _bytes > LentBytesMax;

        public void Begin(long count)
        {
            Count = count;
            reply.ArrayHeader(count);
        }

        public void Take(StreamId id, scoped StreamFields fields)
        {
            _bytes += fields.Bytes;
            EntryReplySink.Write(reply, id, fields);
        }
    }
}
