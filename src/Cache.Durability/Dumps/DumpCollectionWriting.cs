using Cache.Core;
using Cache.Durability.Rdb;

namespace Cache.Durability.Dumps;

/// <summary>Writes the collections of a store into an RDB file or a payload.</summary>
/// <remarks>
/// Each is written from a snapshot: nothing is locked meanwhile. Fields of a hash that expire are written without that,
/// which Redis 7.0 does not know. Nothing more is told when the writer is full.
/// </remarks>
internal sealed class DumpCollectionWriting(RdbWriter writer)
{
    private DumpStreamWriting? _streams;

    /// <returns>False if it is not there any more, or of another kind.</returns>
    public bool TryWrite(CacheStore store, EntryKind kind, in RdbEntry entry)
    {
        var key = entry.Key.Span;
        switch (kind)
        {
            case EntryKind.Hash:
                var fields = new HashSink(writer, entry);
                return store.Hash(key).GetAll(ref fields) == ReadStatus.Found;
            case EntryKind.List:
                var elements = new ListSink(writer, entry);
                return store.List(key).GetRange(0, -1, ref elements) == ReadStatus.Found;
            case EntryKind.Set:
                var members = new SetSink(writer, entry);
                return store.SetOf(key).GetAll(ref members) == ReadStatus.Found;
            case EntryKind.SortedSet:
                var scores = new SortedSetSink(writer, entry);
                return store.SortedSet(key).GetRange(SortedSetRange.All, ref scores) == ReadStatus.Found;
            case EntryKind.Stream:
                return (_streams ??= new DumpStreamWriting(writer)).TryWrite(store, entry);
            default:
                return false;
        }
    }

    private readonly struct HashSink(RdbWriter writer, RdbEntry entry) : IFieldSink
    {
        public bool IsFull => writer.IsFull;

        public void Begin(long count) => writer.BeginHash(entry, (int)count);

        public void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value) =>
            writer.WriteField(field, value);
    }

    private readonly struct ListSink(RdbWriter writer, RdbEntry entry) : IElementSink
    {
        public bool IsFull => writer.IsFull;

        public void Begin(long count) => writer.BeginList(entry, (int)count);

        public void Take(scoped ReadOnlySpan<byte> element) => writer.WriteElement(element);
    }

    private readonly struct SetSink(RdbWriter writer, RdbEntry entry) : IMemberSink
    {
        public bool IsFull => writer.IsFull;

        public void Begin(long count) => writer.BeginSet(entry, (int)count);

        public void Take(scoped ReadOnlySpan<byte> member) => writer.WriteMember(member);
    }

    private readonly struct SortedSetSink(RdbWriter writer, RdbEntry entry) : IScoredMemberSink
    {
        public bool IsFull => writer.IsFull;

        public void Begin(long count) => writer.BeginSortedSet(entry, (int)count);

        public void Take(scoped ReadOnlySpan<byte> member, double score) => writer.WriteMember(member, score);
    }
}
