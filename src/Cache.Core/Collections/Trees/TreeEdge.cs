using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>
/// The first or last element of a tree, which is changed where it lies; the caller holds the collection.
/// </summary>
/// <remarks>
/// It is found without a comparison. No page is taken, and no count of elements changes: so nothing can fail, once it
/// was found that no snapshot has the page.
/// </remarks>
internal readonly ref struct TreeEdge<TOrder>
    where TOrder : struct, ITreeOrder
{
    private readonly TreeLeaf<TOrder> _leaf;
    private readonly int _index;

    private TreeEdge(TreePage page, int index, bool isShared)
    {
        _leaf = new TreeLeaf<TOrder>(page);
        _index = index;
        IsShared = isShared;
    }

    /// <summary>Whether a snapshot has the page: it is copied before a change.</summary>
    public bool IsShared { get; }

    public ulong Key => _leaf.KeyAt(_index);

    /// <summary>The element; its bytes lie in the page.</summary>
    public TreeEntry Entry => _leaf.EntryAt(_index);

    /// <summary>Finds the first element.</summary>
    /// <returns>False if there is none.</returns>
    public static bool TryFindFirst(
        TreePageAddresses pages, in TreeRoot root, in TreeEpochs epochs, out TreeEdge<TOrder> edge) =>
        TryFind(pages, in root, in epochs, isLast: false, out edge);

    /// <summary>Finds the last element.</summary>
    /// <returns>False if there is none.</returns>
    public static bool TryFindLast(
        TreePageAddresses pages, in TreeRoot root, in TreeEpochs epochs, out TreeEdge<TOrder> edge) =>
        TryFind(pages, in root, in epochs, isLast: true, out edge);

    /// <summary>Writes another value of the same length.</summary>
    public void Overwrite(scoped in TreeEntry entry) => _leaf.Overwrite(_index, in entry);

    /// <summary>Makes the value longer, if its page has room for that and is no snapshot's.</summary>
    /// <param name="by">The bytes more.</param>
    /// <param name="value">The value; its new bytes are the last ones, and undefined.</param>
    public bool TryGrow(int by, out Span<byte> value)
    {
        value = default;
        return !IsShared && _leaf.TryGrow(_index, by, out value);
    }

    private static bool TryFind(
        TreePageAddresses pages, in TreeRoot root, in TreeEpochs epochs, bool isLast, out TreeEdge<TOrder> edge)
    {
        edge = default;
        if (root.Page == 0)
            return false;
        var page = pages[root.Page];
        for (int level = page.Level; level > 0; level--)
        {
            var inner = new TreeInner<TOrder>(page);
            page = pages[inner.ChildAt(isLast ? inner.Count - 1 : 0)];
        }

        edge = new TreeEdge<TOrder>(page, isLast ? page.Count - 1 : 0, page.Epoch < epochs.SharedBefore);
        return true;
    }
}
