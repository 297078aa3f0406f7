using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Notifications;
using Cache.Server.Protocol;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Streams;

/// <summary>A consumer that waits until one of several streams has an entry for its group.</summary>
/// <param name="context">The client.</param>
/// <param name="keys">The streams.</param>
/// <param name="group">The group.</param>
/// <param name="consumer">The consumer.</param>
/// <param name="count">The most entries; 0: all.</param>
/// <param name="isAcknowledged">Whether they count as acknowledged.</param>
internal sealed class GroupWaiter(
    CommandContext context, byte[][] keys, byte[] group, byte[] consumer, long count, bool isAcknowledged)
    : Waiter(context.Client, context.Client.Database, EntryKind.Stream, keys)
{
    private const int EntriesMax = 256;

    private readonly KeyspaceNotifier _notifications = context.Server.Notifications;

    public override bool HearsRemovals => true;

    protected internal override WaitOutcome TryServe(CacheStore store, byte[] key, RespReplyWriter reply)
    {
        var stream = store.Stream(key);
        var found = stream.FindGroup(group, out var status, out var last, out bool hasNew);
        if (found != ReadStatus.Found)
        {
            reply.Error("UNBLOCKED the stream key no longer exists"u8);
            return WaitOutcome.Served;
        }

        if (status == StreamGroupStatus.NoGroup)
        {
            reply.Error("NOGROUP the consumer group this client was blocked on no longer exists"u8);
            return WaitOutcome.Served;
        }

        if (!hasNew)
            return WaitOutcome.Unmet;
        if (IsLong(stream, last))
            return WaitOutcome.Itself;
        var sink = new WaitReplySink(reply, key);
        var options = new StreamGroupRead { Count = count, IsAcknowledged = isAcknowledged };
        var read = stream.ReadGroup(group, consumer, options, ref sink, out var outcome);
        if (outcome.MadeConsumer)
            _notifications.Tell(store.Keyspace, KeyEvent.ConsumerMade, key);
        if (read != WriteStatus.Done)
            return WaitOutcome.Itself;
        return sink.Count == 0 ? WaitOutcome.Unmet : WaitOutcome.Served;
    }

    // What is long is left to the waiter's own thread.
    private bool IsLong(StreamKey stream, StreamId last)
    {
        var sink = new MeasuringSink();
        long most = count == 0 ? EntriesMax + 1 : Math.Min(count, EntriesMax + 1);
        stream.GetRange(last.Next, StreamId.Max, most, isReversed: false, ref sink);
        return sink.IsFull;
    }

    private struct MeasuringSink : IStreamSink
    {
        public readonly bool IsFull => Count > EntriesMax || Bytes > LentBytesMax;

        public long Count { get; private set; }

        public long Bytes { get; private set; }

        public void Begin(long count) => Count = count;

        public void Take(StreamId id, scoped StreamFields fields) => Bytes += fields.Bytes;
    }

    private struct WaitReplySink(RespReplyWriter reply, byte[] key) : IStreamSink
    {
        public long Count { get; private set; }

        public readonly bool IsFull => false;

        public void Begin(long count)
        {
            Count = count;
            ReadReply.Begin(reply, 1);
            ReadReply.BeginStream(reply, key);
            reply.ArrayHeader(count);
        }

        public readonly void Take(StreamId id, scoped StreamFields fields) => EntryReplySink.Write(reply, id, fields);
    }
}
