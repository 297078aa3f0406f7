using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>The trees of a large collection, for who reads them.</summary>
/// <remarks>
/// Without the object, all that is found is garbage until its version is the same as before; of a snapshot it is valid.
/// </remarks>
/// <param name="heap">The heap.</param>
/// <param name="number">Of a snapshot: the object; 0 where its caller holds it, or believes nothing.</param>
/// <param name="kind">What the collection is.</param>
/// <param name="first">The tree.</param>
/// <param name="second">The other one.</param>
/// <param name="isConverted">Whether Redis would have given up its compact encoding.</param>
internal readonly struct ObjectView(
    ObjectHeap heap, uint number, EntryKind kind, in TreeRoot first, in TreeRoot second, bool isConverted)
{
    private readonly TreeRoot _first = first;
    private readonly TreeRoot _second = second;

    /// <summary>What its pages and long values count.</summary>
    public long Bytes => ObjectInfo.BytesOf(kind, _first, _second);

    /// <summary>Of a list: its marks.</summary>
    public ListMarks Marks => ObjectInfo.MarksOf(_second);

    /// <summary>Of a list: the number of the next change, greater than that of any change that was loaded.</summary>
    public ulong NextChange => Math.Max(Marks.Change, heap.LoadedChange) + 1;

    /// <summary>Whether Redis would have given up its compact encoding.</summary>
    public bool IsConverted => isConverted;

    /// <summary>The number of elements; of a stream, without entries.</summary>
    public uint Count => _first.Count;

    /// <summary>Of a stream: the blocks of entries. Of a sorted set, the scores.</summary>
    public uint SecondCount => _second.Count;

    /// <summary>The tree; of a sorted set that by members.</summary>
    public TreeReader<TOrder> First<TOrder>()
        where TOrder : struct, ITreeOrder => new(heap.Pages.Addresses, _first.Page);

    /// <summary>Of a hash: the number of fields that expire at some moment.</summary>
    public uint TimedCount => kind == EntryKind.Hash ? _second.Count : 0;

    /// <summary>Of a sorted set: the tree by scores. Of a hash: the fields that expire, by their moments.</summary>
    public TreeReader<TOrder> Second<TOrder>()
        where TOrder : struct, ITreeOrder => new(heap.Pages.Addresses, _second.Page);

    /// <summary>The 32 bits of a name's hash by which trees are ordered.</summary>
    public uint HashOf(ReadOnlySpan<byte> name) => heap.HashOf(name);

    /// <summary>The value of an entry; the caller holds the object.</summary>
    public ReadOnlySpan<byte> ValueOf(scoped in TreeEntry entry)
    {
        Debug.Assert(number == 0, "The end of a store may free what a snapshot has: it is borrowed.");
        return entry.IsValueStub ? ElementStub.Read(entry.Value).Value : entry.Value;
    }

    /// <summary>
    /// Borrows the long value, the long name, or the element of a list, of an entry, of a snapshot, or of an object
    /// that the caller holds.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The store was disposed, and has freed it.</exception>
    public ElementLoan Borrow(scoped in TreeEntry entry)
    {
        Debug.Assert(entry.HasStub);
        if (number == 0)
            return heap.LongElements.Lend(ElementStub.Read(entry.Stub));
        uint version = heap.Hold(number, mayChange: false);
        var loan = heap.LongElements.Lend(ElementStub.Read(entry.Stub)); // The page is read while it is held.
        heap.Table.LetGo(number, version, isChanged: false);
        return loan;
    }

    /// <summary>Finds how many members of a sorted set are before one that was found in it.</summary>
    public bool TryFindRank(ReadOnlySpan<byte> member, double score, scoped in TreeEntry found, out uint rank)
    {
        if (!LongName.Is(member))
            return Second<ByScore>().TryFindRank(ScoreKey.Of(score), member, out rank);
        Span<byte> ordered = stackalloc byte[ElementSizes.NameLengthMax + NameStub.LabelLengthMax];
        int length = MemberLabels.Write(ordered, member, NameStub.LabelOf(found.Name));
        return Second<ByScore>().TryFindRank(ScoreKey.Of(score), ordered[..length], out rank);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Rare, and others need no room for it.
    private bool TryFindLong(scoped ReadOnlySpan<byte> name, out TreeEntry entry)
    {
        Span<byte> digest = stackalloc byte[LongName.DigestSize];
        LongName.Digest(name, digest);
        return TryFindOrdered(digest, out entry);
    }

    /// <summary>The blocks of long values and elements.</summary>
    public LongElements LongElements => heap.LongElements;

    /// <summary>Finds an element of a list.</summary>
    /// <param name="index">From the left.</param>
    /// <param name="entry">The element is its name, perhaps a stub.</param>
    public bool TryGetAt(long index, out TreeEntry entry)
    {
        entry = default;
        if ((ulong)index >= Count)
            return false;
        var cursor = First<ByPosition>().At((uint)index);
        if (cursor.IsValid)
            entry = cursor.Entry;
        return cursor.IsValid;
    }

    /// <summary>
    /// Whether an element of a list, of a snapshot or while the caller holds the object, is equal to another.
    /// </summary>
    public bool IsEqual(scoped in TreeEntry entry, scoped ReadOnlySpan<byte> element)
    {
        if (!entry.IsNameStub)
            return entry.Name.SequenceEqual(element);
        if (ElementStub.LengthOf(entry.Name) != element.Length)
            return false;
        using var loan = Borrow(entry);
        return loan.Value.SequenceEqual(element);
    }

    /// <summary>What the collection is.</summary>
    public EntryKind Kind => kind;

    /// <summary>Finds a field of a hash that has not expired.</summary>
    public bool TryFindField(scoped ReadOnlySpan<byte> field, out TreeEntry entry) =>
        (LongName.Is(field)
            ? TryFindLong(field, out entry)
            : First<ByHashWithValue>().TryFindHash(HashOf(field), field, out entry))
        && !heap.Fields.HasPassed(entry.Moment);

    /// <summary>Of a hash: the fields that have expired at a reading of <see cref="ObjectHeap.Fields"/>.</summary>
    public uint CountExpired(long nowMs) =>
        TimedCount == 0 || nowMs == 0 ? 0 : Second<ByScore>().CountBelow((ulong)nowMs + 1, default);

    /// <summary>Of a hash: the fields that have not expired.</summary>
    public uint CountLive() => TimedCount == 0 ? Count : Count - Math.Min(Count, CountExpired(heap.Fields.NowMs));

    /// <summary>Of a hash: the first moment at which a field expires; 0: none does.</summary>
    public long FirstMoment
    {
        get
        {
            if (TimedCount == 0)
                return 0;
            var first = Second<ByScore>().At(0);
            return first.IsValid ? (long)first.Key : 0;
        }
    }

    /// <summary>
    /// Finds a field of a hash, also one that has expired, a member, whose value is its score, or an element of a
    /// stream.
    /// </summary>
    public bool TryFindName(scoped ReadOnlySpan<byte> name, out TreeEntry entry) =>
        LongName.Is(name) ? TryFindLong(name, out entry) : TryFindOrdered(name, out entry);

    /// <summary>The same, of a long name by what a tree by hashes has of it.</summary>
    public bool TryFindOrdered(scoped ReadOnlySpan<byte> name, out TreeEntry entry) => kind switch
    {
        EntryKind.Set => First<ByHash>().TryFindHash(HashOf(name), name, out entry),
        EntryKind.Stream => StreamTreeWriter.TryFind(new StreamView(this), name, out entry),
        _ => First<ByHashWithValue>().TryFindHash(HashOf(name), name, out entry),
    };
}
