using System.Buffers;
using Cache.Core.Collections;
using Cache.Core.Collections.Lists;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>A key whose value is a list: ordered elements. Made by <see cref="CacheStore.List"/>.</summary>
/// <remarks>
/// Nothing is read when it is made: each call looks for the key, and is atomic. An absent key is a list without
/// elements; the first element makes it, and with the last one it goes. Reads take no lock, count as reads of the key,
/// and are told to a sink only when they are known to be consistent. A key with a value of another kind stays as it is:
/// the status is WrongType. An index below 0 counts from the right end: −1 is the last element. An element may be as
/// long as a string, and a list as long as memory allows.
/// <example><code>
/// ListKey jobs = store.List("jobs"u8);
/// jobs.Push(ListEnd.Right, "resize 17.png"u8);
/// byte[]? next = jobs.PopArray(ListEnd.Left);
/// </code></example>
/// </remarks>
public readonly ref partial struct ListKey
{
    private readonly CacheStore _store;
    private readonly EntryKey _key;

    internal ListKey(CacheStore store, EntryKey key)
    {
        _store = store;
        _key = key;
    }

    /// <summary>The number of elements; 0 if the key is absent or of another kind.</summary>
    public long Count
    {
        get
        {
            GetCount(out long count);
            return count;
        }
    }

    /// <summary>The number of elements.</summary>
    /// <param name="count">The number; 0 unless the status is Found.</param>
    public ReadStatus GetCount(out long count)
    {
        var query = new PlaceQuery(PackedShape.List, default, mayFind: false);
        var status = Query(ref query);
        count = status == ReadStatus.Found ? query.Count : 0;
        return status;
    }

    /// <summary>Copies the element with an index into the sink.</summary>
    /// <returns>Found; NotFound if the key is absent or has no such element; or WrongType.</returns>
    public ReadStatus Get<TSink>(long index, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        var query = new ElementQuery<TSink>(index, sink);
        var status = Query(ref query);
        while (status == ReadStatus.Found && query.IsLong)
        {
            if (LongElementReader.Read(_store.State, _key, new ElementFinder(index), ref sink) is { } read)
                return read;
            status = _store.State.ShardOf(_key.Hash).QueryAnyUncounted(_key, EntryKind.List, ref query, out _);
        }

        sink = query.Sink;
        if (status != ReadStatus.Found)
            return status;
        if (!query.IsFound)
            return ReadStatus.NotFound;
        sink.Advance(query.Length);
        return ReadStatus.Found;
    }

    /// <summary>The element with an index as a new array.</summary>
    /// <returns>Null if there is no such element, or the key is of another kind.</returns>
    public byte[]? GetArray(long index)
    {
        var sink = default(ArraySink);
        return Get(index, ref sink) == ReadStatus.Found ? sink.Array : null;
    }

    /// <summary>Copies the elements of a range into the sink, as of one moment.</summary>
    /// <param name="first">The index of the first one.</param>
    /// <param name="last">The index of the last one; beyond the end all are taken.</param>
    /// <param name="sink">Receives the elements; none if the range is empty.</param>
    /// <returns>NotFound or WrongType: then the sink is not called.</returns>
    public ReadStatus GetRange<TSink>(long first, long last, ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        using var found = TakenMembers.Rent();
        byte[] room = ArrayPool<byte>.Shared.Rent(PackedTable.LengthMax);
        try
        {
            var query = new RangeOfListQuery(first, last, room.AsSpan(0, PackedTable.LengthMax), found);
            var status = Query(ref query);
            if (status != ReadStatus.Found)
                return status;
            if (!query.IsObject)
                ListView.Tell(query.Table, first, last, ref sink);
            else if (!query.IsLong)
                ListView.Tell(found, ref sink);
            else
                status = TellLong(first, last, ref sink);
            return status;
        }
        finally // The store may have been disposed, and the sink may throw.
        {
            ArrayPool<byte>.Shared.Return(room);
        }
    }

    /// <summary>Begins to read a range of a large list in parts, as of one moment.</summary>
    /// <remarks>Counts as a read of the key. What others write meanwhile is not told.</remarks>
    /// <returns>Null where it is short, of at most 4 KB, or absent, or of another kind: read it at once.</returns>
    public CollectionReading? Read(long first, long last)
    {
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.List, out _);
        if (!copy.IsObject)
            return null;
        var (start, length) = ListRange.Within(first, last, copy.View.Count);
        return copy.TryDetach(out var stub, out uint snapshot)
            ? new CollectionReading(_store.State, stub, snapshot, copy.View, start, length, isReversed: false)
            : null;
    }

    /// <summary>The index of the leftmost element that is equal to another.</summary>
    /// <param name="element">The bytes that are looked for.</param>
    /// <param name="index">The index; −1 unless the status is Found.</param>
    /// <returns>Found; NotFound if the key is absent or has no such element; or WrongType.</returns>
    public ReadStatus Find(ReadOnlySpan<byte> element, out long index)
    {
        var first = new FirstIndexSink();
        var status = Find(element, new ListSearch(), ref first);
        index = first.Index;
        return status == ReadStatus.Found && index < 0 ? ReadStatus.NotFound : status;
    }

    /// <summary>The indexes of elements that are equal to another, as of one moment.</summary>
    /// <param name="element">The bytes that are looked for.</param>
    /// <param name="search">Which of them.</param>
    /// <param name="sink">Receives the indexes, in the order in which they are found; perhaps none.</param>
    /// <returns>NotFound or WrongType: then the sink is not called.</returns>
    /// <exception cref="ArgumentException">The rank is 0, or a number of the search is negative.</exception>
    public ReadStatus Find<TSink>(ReadOnlySpan<byte> element, in ListSearch search, ref TSink sink)
        where TSink : struct, IIndexSink, allows ref struct
    {
        ElementSearch.ThrowIfInvalid(search);
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.List, out var status);
        if (status != ReadStatus.Found)
            return status;
        var found = new ElementSearch(_store.State, copy, element, search);
        sink.Begin(found.CountAll());
        while (found.TryMoveNext(out long index))
            sink.Take(index);
        return status;
    }

    // From a snapshot.
    private ReadStatus TellLong<TSink>(long first, long last, ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        using var copy = CollectionCopy.Peek(_store.State, _key, EntryKind.List, out var status, out _);
        if (status != ReadStatus.Found)
            return status;
        if (copy.IsObject)
            ListView.Tell(_store.State, copy.View, first, last, ref sink);
        else
            ListView.Tell(copy.Table, first, last, ref sink);
        return status;
    }

    private ReadStatus Query<TQuery>(ref TQuery query)
        where TQuery : struct, IPackedQuery, IObjectQuery, allows ref struct =>
        _store.State.ShardOf(_key.Hash).QueryAny(_key, EntryKind.List, ref query);

    private WriteStatus Write<TEdit>(ref TEdit edit)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct =>
        _store.Counted(ObjectWriter.Write(_store.State, _key, ref edit));

    private struct FirstIndexSink() : IIndexSink
    {
        public long Index { get; private set; } = -1;

        public readonly void Begin(long count)
        {
        }

        public void Take(long index) => Index = index;
    }
}
