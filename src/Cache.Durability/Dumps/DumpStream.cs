using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Rdb;

namespace Cache.Durability.Dumps;

/// <summary>The stream of an RDB file or of a payload that was read last, in the form of a store.</summary>
internal sealed class DumpStream : IRdbStreamSink
{
    private readonly StreamCollection _collection = new();
    private RdbStreamHead _head;

    public byte[] Bytes => _collection.Bytes;

    public int Length => _collection.Length;

    /// <summary>Forgets its memory.</summary>
    public void Trim() => _collection.Trim();

    public bool IsFull => _collection.IsTooLong;

    /// <returns>False if it is too long.</returns>
    public bool TryComplete() => _collection.TryComplete(
        _head.Length, _head.Added, IdOf(_head.Last), IdOf(_head.MaxRemoved));

    public void Begin()
    {
        _head = default;
        _collection.Begin();
    }

    public void TakeEntry(RdbStreamId id, RdbElements fields)
    {
        var source = new Pairs(fields);
        _collection.AddEntry(IdOf(id), ref source);
    }

    public void TakeHead(in RdbStreamHead head) => _head = head;

    public void TakeGroup(ReadOnlySpan<byte> name, RdbStreamId last, long entriesRead) =>
        _collection.AddGroup(name, IdOf(last), entriesRead);

    public void TakeConsumer(ReadOnlySpan<byte> name, long seenMs) => _collection.AddConsumer(name, seenMs);

    public void TakePending(RdbStreamId id, long deliveredMs, long deliveries) =>
        _collection.AddPending(IdOf(id), deliveredMs, deliveries);

    private static StreamId IdOf(RdbStreamId id) => new(id.Milliseconds, id.Sequence);

    private readonly struct Pairs(RdbElements fields) : IEntrySource
    {
        public int Count => (int)(fields.Count / 2);

        public ReadOnlySpan<byte> GetKey(int index) => fields[2 * index];

        public ReadOnlySpan<byte> GetValue(int index) => fields[2 * index + 1];
    }
}
