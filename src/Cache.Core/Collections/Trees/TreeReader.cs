using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>Finds elements of a tree that another thread may be changing.</summary>
/// <remarks>
/// Everything is garbage until the collection's version is the same as before; for a snapshot's root it is valid. In a
/// torn tree an answer may be wrong, but every descent ends after as many levels as a tree can have, and reaches no
/// memory but that of pages. Spans lie in pages: they are copied before the version is looked at again.
/// </remarks>
internal readonly struct TreeReader<TOrder>(TreePageAddresses pages, uint root)
    where TOrder : struct, ITreeOrder
{
    private readonly TreePageAddresses _pages = pages;
    private readonly uint _root = root;

    public bool IsEmpty => _root == 0;

    /// <summary>Finds an element by its key and name.</summary>
    public bool TryFind(ulong key, scoped ReadOnlySpan<byte> name, out TreeEntry entry)
    {
        if (_root != 0)
        {
            var leaf = new TreeLeaf<TOrder>(FindLeaf(key, name));
            int count = leaf.Count, index = leaf.IndexOf(key, name, count);
            if (index < count && leaf.IsAt(index, key, name))
            {
                entry = leaf.EntryAt(index);
                return true;
            }
        }

        entry = default;
        return false;
    }

    /// <summary>The same for hashes.</summary>
    /// <remarks>
    /// The parent's separators give the range of a leaf, and its cell the count: so the place in the leaf is computed,
    /// and of a cold leaf only two lines are touched, the slot's and the entry's.
    /// </remarks>
    public bool TryFindHash(uint hash, scoped ReadOnlySpan<byte> name, out TreeEntry entry)
    {
        entry = default;
        if (_root == 0)
            return false;
        var page = _pages[_root];
        ulong low = 0, high = 1UL << 32;
        int count = page.Count;
        for (int level = page.Level; level > 0; level--)
        {
            var inner = new TreeInner<TOrder>(page);
            int index = inner.GuessIndexOf(hash, low, high);
            if (index > 0)
            {
                low = inner.KeyAt(index);
                if (low == hash && inner.HasSeparatorBytes(index))
                    return TryFind(hash, name, out entry); // It has equal hashes on both sides.
            }

            if (index + 1 < inner.Count)
                high = inner.KeyAt(index + 1);
            if (high <= low)
                high = low + 1; // Garbage.
            count = (int)Math.Min(inner.CountAt(index), int.MaxValue);
            page = _pages[inner.ChildAt(index)];
        }

        var leaf = new TreeLeaf<TOrder>(page);
        count = Math.Min(count, TreeLeaf<TOrder>.CountMax);
        for (int i = leaf.GuessIndexOf(hash, low, high, count); i < count && leaf.KeyAt(i) == hash; i++)
        {
            entry = leaf.EntryAt(i);
            if (entry.OrderedName.SequenceEqual(name))
                return true;
        }

        return false;
    }

    /// <summary>How many elements are less than a key and name, which need not be there.</summary>
    public uint CountBelow(ulong key, ReadOnlySpan<byte> name)
    {
        if (_root == 0)
            return 0;
        uint rank = 0;
        var page = _pages[_root];
        for (int level = page.Level; level > 0; level--)
        {
            var inner = new TreeInner<TOrder>(page);
            int index = inner.IndexOf(key, name);
            rank += inner.CountBefore(index);
            page = _pages[inner.ChildAt(index)];
        }

        var leaf = new TreeLeaf<TOrder>(page);
        return rank + (uint)leaf.IndexOf(key, name, leaf.Count);
    }

    /// <summary>How many elements are before one that is there.</summary>
    public bool TryFindRank(ulong key, ReadOnlySpan<byte> name, out uint rank)
    {
        rank = 0;
        if (_root == 0)
            return false;
        var page = _pages[_root];
        for (int level = page.Level; level > 0; level--)
        {
            var inner = new TreeInner<TOrder>(page);
            int child = inner.IndexOf(key, name);
            rank += inner.CountBefore(child);
            page = _pages[inner.ChildAt(child)];
        }

        var leaf = new TreeLeaf<TOrder>(page);
        int count = leaf.Count, index = leaf.IndexOf(key, name, count);
        rank += (uint)index;
        return index < count && leaf.IsAt(index, key, name);
    }

    /// <summary>A cursor at a rank, or behind the last element.</summary>
    public TreeCursor<TOrder> At(uint rank) => TreeCursor<TOrder>.AtRank(_pages, _root, rank);

    /// <summary>A cursor at the first element that is not less than a key and name.</summary>
    public TreeCursor<TOrder> AtOrAbove(ulong key, ReadOnlySpan<byte> name) =>
        TreeCursor<TOrder>.AtOrAbove(_pages, _root, key, name);

    private TreePage FindLeaf(ulong key, ReadOnlySpan<byte> name)
    {
        var page = _pages[_root];
        for (int level = page.Level; level > 0; level--)
        {
            var inner = new TreeInner<TOrder>(page);
            page = _pages[inner.ChildAt(inner.IndexOf(key, name))];
        }

        return page;
    }
}
