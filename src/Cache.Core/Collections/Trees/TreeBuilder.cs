using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>Makes a tree of elements that come in their order: full pages, and no search.</summary>
/// <remarks>
/// One page of each level is open, at the right end. Each is as long as a page can be; at the end the open ones are
/// copied to shorter ones. The tree is its builder's alone until then.
/// </remarks>
internal ref struct TreeBuilder<TOrder>
    where TOrder : struct, ITreeOrder
{
    private readonly TreePages _pages;
    private readonly TreePageAddresses _at;
    private readonly uint _owner;
    private TreePath _open;
    private TreeRoot _root;
    private int _top;

    public TreeBuilder(TreePages pages, uint owner)
    {
        _pages = pages;
        _at = pages.Addresses;
        _owner = owner;
    }

    public readonly uint Count => _root.Count;

    /// <summary>Adds an element behind the last one.</summary>
    /// <returns>False if there is no page for it: the builder is as before.</returns>
    public bool TryAdd(ulong key, scoped in TreeEntry entry)
    {
        if (_root.Page == 0)
        {
            if (!TryCreate(0, out _open[0].Page))
                return false;
            _root.Page = _open[0].Page;
        }

        var leaf = new TreeLeaf<TOrder>(_at[_open[0].Page]);
        if (leaf.FreeBytes < TreeLeaf<TOrder>.SizeOf(in entry))
        {
            if (!TryBeginLeaf(leaf, key, entry.OrderedName))
                return false;
            leaf = new TreeLeaf<TOrder>(_at[_open[0].Page]);
        }

        Debug.Assert(TOrder.KeySize == 0 || leaf.Count == 0 || leaf.KeyAt(leaf.Count - 1) <= key);
        leaf.Insert(leaf.Count, key, in entry);
        _root.Count++;
        _root.PageBytes += TreeWriter<TOrder>.StubBytesOf(_pages, in entry);
        return true;
    }

    /// <summary>Ends the tree and hands it over.</summary>
    public void Finish(ref TreeRoot root)
    {
        Debug.Assert(root.Page == 0);
        for (int level = 0; level < _top; level++)
            CountLast(level);
        for (int level = 0; level <= _top && _root.Page != 0; level++)
            Shorten(level);
        root = _root;
        _root = default;
    }

    /// <summary>Gives back what there is, in steps of its graveyard.</summary>
    public void Abandon(TreeGraveyard graveyard)
    {
        graveyard.Bury<TOrder>(ref _root);
        Debug.Assert(_root.Page == 0);
    }

    // All pages that are needed are taken first: one of each level up to the first that has room.
    private bool TryBeginLeaf(TreeLeaf<TOrder> leaf, ulong key, ReadOnlySpan<byte> name)
    {
        var separator = TreeSeparator.Between<TOrder>(
            leaf.KeyAt(leaf.Count - 1), leaf.NameAt(leaf.Count - 1), key, name);
        int size = TreeInner<TOrder>.SizeOf(separator);
        int level = 1;
        while (level <= _top && new TreeInner<TOrder>(_at[_open[level].Page]).FreeBytes < size)
            level++;
        if (level == TreePage.LevelsMax)
            return false;
        var created = new TreePath();
        for (int i = 0; i < level || (level > _top && i == level); i++)
        {
            if (TryCreate(i, out created[i].Page))
                continue;
            while (--i >= 0)
                GiveBack(created[i].Page);
            return false;
        }

        for (int i = 0; i < level && i < _top; i++)
            CountLast(i);
        if (level > _top)
            BeginRoot(level, created[level].Page);
        new TreeInner<TOrder>(_at[_open[level].Page]).Insert(
            LastOf(level) + 1, key, separator, created[level - 1].Page, 0);
        for (int i = level - 1; i >= 0; i--)
        {
            _open[i].Page = created[i].Page;
            if (i > 0)
                new TreeInner<TOrder>(_at[created[i].Page]).Insert(0, key, default, created[i - 1].Page, 0);
        }

        return true;
    }

    private void BeginRoot(int level, uint page)
    {
        var below = _at[_root.Page];
        uint count = below.IsLeaf
            ? (uint)below.Count
            : new TreeInner<TOrder>(below) is var inner ? inner.CountBefore(inner.Count) : 0;
        new TreeInner<TOrder>(_at[page]).Insert(0, 0, default, _root.Page, count);
        _open[level].Page = page;
        _root.Page = page;
        _top = level;
    }

    // Tells the parent of an open page, of which it is the last child, how many elements it has.
    private readonly void CountLast(int level)
    {
        var page = _at[_open[level].Page];
        uint count = (uint)page.Count;
        if (level > 0)
        {
            var inner = new TreeInner<TOrder>(page);
            count = inner.CountBefore(inner.Count);
        }

        new TreeInner<TOrder>(_at[_open[level + 1].Page]).SetCount(LastOf(level + 1), count);
    }

    private readonly int LastOf(int level) => new TreeInner<TOrder>(_at[_open[level].Page]).Count - 1;

    // A page as long as it must be, if there is one.
    private void Shorten(int level)
    {
        uint page = _open[level].Page;
        int live = level == 0
            ? new TreeLeaf<TOrder>(_at[page]).LiveBytes
            : new TreeInner<TOrder>(_at[page]).LiveBytes;
        int grains = TreePage.GrainsFor(live);
        if (grains == TreePage.GrainsMax || !_pages.TryTake(grains, out uint copy))
            return;
        _at[copy].Initialize(grains, level, epoch: 0, _owner);
        _root.PageBytes -= (TreePage.GrainsMax - grains) * TreePage.GrainSize;
        if (level == 0)
            new TreeLeaf<TOrder>(_at[page]).CopyTo(new TreeLeaf<TOrder>(_at[copy]));
        else
            new TreeInner<TOrder>(_at[copy]).Append(new TreeInner<TOrder>(_at[page]), 0, LastOf(level) + 1);
        if (level == _top)
            _root.Page = copy;
        else
            new TreeInner<TOrder>(_at[_open[level + 1].Page]).SetChild(LastOf(level + 1), copy);
        _pages.Give(page);
    }

    private bool TryCreate(int level, out uint page)
    {
        if (!_pages.TryTake(TreePage.GrainsMax, out page))
            return false;
        _at[page].Initialize(TreePage.GrainsMax, level, epoch: 0, _owner);
        _root.PageBytes += TreePage.SizeMax;
        return true;
    }

    private void GiveBack(uint page)
    {
        _root.PageBytes -= TreePage.SizeMax;
        _pages.Give(page);
    }
}
