using Cache.Core;
using Cache.Durability.Rdb;

namespace Cache.Durability.Dumps;

/// <summary>Writes streams of a store into an RDB file or a payload.</summary>
internal sealed class DumpStreamWriting(RdbWriter writer)
{
    // An entry has all that a store has, at most.
    private const int BytesMax = 1 << 30;
    private const int CountMax = 1 << 26;

    private readonly RdbStreamWriter _stream = new(writer);
    private readonly RdbElements _names = new(BytesMax, CountMax);
    private readonly RdbElements _values = new(BytesMax, CountMax);

    /// <returns>False if it is not there any more.</returns>
    public bool TryWrite(CacheStore store, in RdbEntry entry)
    {
        using var snapshot = store.Stream(entry.Key.Span).TakeSnapshot(out var status);
        if (status != ReadStatus.Found)
            return false;
        var counting = new NodeSink();
        snapshot.GetRange(StreamId.Zero, StreamId.Max, long.MaxValue, isReversed: false, ref counting);
        _stream.Begin(entry, counting.Nodes);
        var sink = new EntrySink(_stream, _names, _values);
        snapshot.GetRange(StreamId.Zero, StreamId.Max, long.MaxValue, isReversed: false, ref sink);
        var info = snapshot.Info;
        _stream.WriteHead(
            new RdbStreamHead(info.Length, IdOf(info.LastId), IdOf(info.FirstId), IdOf(info.MaxRemovedId), info.Added),
            info.Groups);
        for (var groups = snapshot.GetGroups(); groups.MoveNext();)
            WriteGroup(snapshot, groups.Name, groups.Current);
        return true;
    }

    private void WriteGroup(scoped in StreamSnapshot snapshot, ReadOnlySpan<byte> name, in StreamGroupInfo group)
    {
        _stream.WriteGroup(name, IdOf(group.LastDeliveredId), group.EntriesRead);
        _stream.WriteCount(group.Pending);
        for (var pending = snapshot.GetPending(name, StreamId.Zero); pending.MoveNext();)
        {
            var one = pending.Current;
            _stream.WritePending(IdOf(one.Id), one.DeliveredUnixMs, one.Deliveries);
        }

        _stream.WriteCount(group.Consumers);
        for (var consumers = snapshot.GetConsumers(name); consumers.MoveNext();)
        {
            _stream.WriteConsumer(consumers.Name, consumers.Current.SeenUnixMs);
            _stream.WriteCount(consumers.Current.Pending);
            for (var pending = snapshot.GetPending(name, consumers.Name, StreamId.Zero); pending.MoveNext();)
                _stream.WriteRawId(IdOf(pending.Current.Id));
        }
    }

    private static RdbStreamId IdOf(StreamId id) => new(id.Milliseconds, id.Sequence);

    private struct NodeSink : IStreamSink
    {
        private RdbStreamNodes _nodes;

        public readonly bool IsFull => false;

        public readonly long Nodes => _nodes.Count;

        public readonly void Begin(long count)
        {
        }

        public void Take(StreamId id, scoped StreamFields fields)
        {
            long bytes = 0;
            while (fields.MoveNext())
                bytes += fields.Field.Length + fields.Value.Length;
            _nodes.BeginsNode(bytes);
        }
    }

    private readonly struct EntrySink(RdbStreamWriter stream, RdbElements names, RdbElements values) : IStreamSink
    {
        public bool IsFull => stream.IsFull;

        public void Begin(long count)
        {
        }

        public void Take(StreamId id, scoped StreamFields fields)
        {
            names.Clear();
            values.Clear();
            while (fields.MoveNext())
            {
                names.Add(fields.Field);
                values.Add(fields.Value);
            }

            stream.WriteEntry(IdOf(id), names, values);
        }
    }
}
