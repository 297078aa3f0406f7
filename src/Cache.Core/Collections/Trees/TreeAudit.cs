using System.Globalization;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>Walks every page of a tree and compares it with what the others say of it.</summary>
/// <remarks>For tests and for the validation of a store; nobody writes the tree meanwhile.</remarks>
/// <param name="pages">The pages.</param>
/// <param name="seen">The pages that were seen in other trees, and takes those of these.</param>
internal sealed class TreeAudit<TOrder>(TreePages pages, HashSet<uint>? seen = null)
    where TOrder : struct, ITreeOrder
{
    private readonly TreePageAddresses _at = pages.Addresses;
    private readonly HashSet<uint> _seen = seen ?? [];
    private ulong _lastKey;
    private byte[]? _lastName;

    /// <summary>The pages that were seen, in all trees: each has one referrer.</summary>
    public IReadOnlySet<uint> Pages => _seen;

    /// <summary>The height of the last tree.</summary>
    public int Height { get; private set; }

    /// <summary>What slots and entries of the leaves take, without headers, free bytes and garbage.</summary>
    public long LiveBytes { get; private set; }

    /// <summary>Throws unless a tree is whole.</summary>
    /// <exception cref="InvalidOperationException">It is not.</exception>
    public void Check(in TreeRoot root)
    {
        _lastName = null;
        Height = 0;
        long bytes = 0;
        ulong count = 0;
        if (root.Page != 0)
        {
            Height = _at[root.Page].Level + 1;
            count = Walk(root.Page, Height - 1, ref bytes);
        }

        Require(count == root.Count, root.Page, $"has {count} elements, and {root.Count} are counted");
        Require(bytes == root.PageBytes, root.Page, $"has pages of {bytes} bytes, and {root.PageBytes} are counted");
    }

    private ulong Walk(uint number, int level, ref long bytes)
    {
        var page = _at[number];
        Require(_seen.Add(number), number, "has two referrers");
        Require(pages.IsOut(number), number, "is free");
        Require(page.Grains == pages.GrainsOf(number), number, "has another length than its slab's pages");
        Require(page.Level == level, number, $"is of level {page.Level}, not {level}");
        Require(page.Count > 0, number, "is empty");
        bytes += page.Length;
        return level == 0 ? WalkLeaf(number, ref bytes) : WalkInner(number, level, ref bytes);
    }

    private ulong WalkLeaf(uint number, ref long bytes)
    {
        var leaf = new TreeLeaf<TOrder>(_at[number]);
        Require(leaf.FreeBytes >= 0, number, "has slots over its entries");
        int entryBytes = 0;
        for (int i = 0; i < leaf.Count; i++)
        {
            var entry = leaf.EntryAt(i);
            entryBytes += entry.SizeOf(TOrder.HasValue);
            bytes += TreeWriter<TOrder>.StubBytesOf(pages, in entry);
            Require(!entry.HasStub || leaf.Page.StubCode == TOrder.Code, number, "does not know of its stubs");
            Follow(number, leaf.KeyAt(i), entry.OrderedName);
        }

        RequireBytes(leaf.Page, number, entryBytes);
        LiveBytes += leaf.LiveBytes;
        return (ulong)leaf.Count;
    }

    private ulong WalkInner(uint number, int level, ref long bytes)
    {
        var inner = new TreeInner<TOrder>(_at[number]);
        Require(inner.FreeBytes >= 0, number, "has cells over its separators");
        ulong sum = 0;
        int entryBytes = 0;
        for (int i = 0; i < inner.Count; i++)
        {
            var separator = inner.SeparatorAt(i);
            entryBytes += inner.SizeOf(i) - TreeInner<TOrder>.CellSize;
            if (i > 0 && TOrder.KeySize != 0)
                CheckSeparator(number, i, inner.KeyAt(i), separator, inner.ChildAt(i));
            ulong count = Walk(inner.ChildAt(i), level - 1, ref bytes);
            Require(count == inner.CountAt(i), number, $"says {inner.CountAt(i)} of child {i}, which has {count}");
            sum += count;
        }

        RequireBytes(inner.Page, number, entryBytes);
        return sum;
    }

    // Greater than what was seen last, and not greater than the first of the child.
    private void CheckSeparator(uint number, int index, ulong key, ReadOnlySpan<byte> separator, uint child)
    {
        Require(Compare(_lastKey, _lastName, key, separator) < 0, number, $"has separator {index} below what is left");
        var page = _at[child];
        while (page.Level > 0)
            page = _at[new TreeInner<TOrder>(page).ChildAt(0)];
        var leaf = new TreeLeaf<TOrder>(page);
        Require(
            Compare(key, separator, leaf.KeyAt(0), leaf.NameAt(0)) <= 0, number,
            $"has separator {index} above what is right");
    }

    private void Follow(uint number, ulong key, ReadOnlySpan<byte> name)
    {
        if (TOrder.KeySize == 0)
            return;
        Require(
            _lastName is null || Compare(_lastKey, _lastName, key, name) < 0, number, "has elements out of order");
        (_lastKey, _lastName) = (key, name.ToArray());
    }

    private static int Compare(ulong key, ReadOnlySpan<byte> name, ulong otherKey, ReadOnlySpan<byte> otherName) =>
        key != otherKey ? key.CompareTo(otherKey) : name.SequenceCompareTo(otherName);

    private static void RequireBytes(TreePage page, uint number, int entryBytes) => Require(
        entryBytes == page.Length - page.HeapStart - page.Garbage, number,
        $"has {entryBytes} bytes of entries, {page.Length - page.HeapStart} in all, {page.Garbage} as garbage");

    private static void Require(bool holds, uint number, string what)
    {
        if (!holds)
            throw new InvalidOperationException(string.Create(CultureInfo.InvariantCulture, $"Page {number} {what}."));
    }
}
