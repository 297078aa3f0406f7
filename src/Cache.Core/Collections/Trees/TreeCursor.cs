using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>A place in a tree, from which elements are read in their order, forwards or backwards.</summary>
/// <remarks>
/// It holds nothing: after a change of the tree its next step may be wrong, and the version tells. A step takes as long
/// as the tree has levels, at most. In a torn tree the steps need not end, so their number is bounded by who makes
/// them, by the number of elements that are wanted.
/// </remarks>
internal struct TreeCursor<TOrder>
    where TOrder : struct, ITreeOrder
{
    private readonly TreePageAddresses _pages;
    private readonly int _level; // Of the root.
    private Levels _path;
    private int _index;
    private int _count;

    private TreeCursor(TreePageAddresses pages, uint root)
    {
        _pages = pages;
        _path[0] = (root, 0);
        _level = root == 0 ? 0 : pages[root].Level;
        _index = -1;
    }

    /// <summary>Whether it is at an element.</summary>
    public readonly bool IsValid => (uint)_index < (uint)_count;

    /// <summary>The element's key.</summary>
    public readonly ulong Key => Leaf.KeyAt(_index);

    /// <summary>The element; its bytes lie in the page.</summary>
    public readonly TreeEntry Entry => Leaf.EntryAt(_index);

    /// <summary>How many elements follow in the same page: what is read before the version is checked again.</summary>
    public readonly int CountInPage => Math.Max(0, _count - _index);

    private readonly TreeLeaf<TOrder> Leaf
    {
        get
        {
            Debug.Assert(IsValid);
            return new TreeLeaf<TOrder>(_pages[_path[0].Page]);
        }
    }

    public static TreeCursor<TOrder> AtRank(TreePageAddresses pages, uint root, uint rank)
    {
        var cursor = new TreeCursor<TOrder>(pages, root);
        if (root == 0)
            return cursor;
        uint page = root;
        for (int level = cursor._level; level > 0; level--)
        {
            var inner = new TreeInner<TOrder>(pages[page]);
            int index = inner.IndexOfRank(ref rank);
            cursor._path[level] = (page, index);
            page = inner.ChildAt(index);
        }

        cursor.Enter(page, (int)Math.Min(rank, int.MaxValue));
        return cursor;
    }

    public static TreeCursor<TOrder> AtOrAbove(TreePageAddresses pages, uint root, ulong key, ReadOnlySpan<byte> name)
    {
        var cursor = new TreeCursor<TOrder>(pages, root);
        if (root == 0)
            return cursor;
        uint page = root;
        for (int level = cursor._level; level > 0; level--)
        {
            var inner = new TreeInner<TOrder>(pages[page]);
            int index = inner.IndexOf(key, name);
            cursor._path[level] = (page, index);
            page = inner.ChildAt(index);
        }

        cursor.Enter(page, 0);
        cursor._index = new TreeLeaf<TOrder>(pages[page]).IndexOf(key, name, cursor._count);
        if (!cursor.IsValid)
            cursor.MoveToNextLeaf(); // All of this leaf are less.
        return cursor;
    }

    /// <summary>Goes to the next element.</summary>
    /// <returns>False behind the last one; it stays there.</returns>
    public bool MoveNext()
    {
        if (++_index < _count)
            return true;
        return MoveToNextLeaf();
    }

    /// <summary>Goes to the element before; from behind the last one to that.</summary>
    /// <returns>False before the first one; it stays there.</returns>
    public bool MovePrevious()
    {
        if (--_index >= 0)
            return true;
        return MoveToPreviousLeaf();
    }

    private bool MoveToNextLeaf()
    {
        for (int level = 1; level <= _level; level++)
        {
            var (page, index) = _path[level];
            var inner = new TreeInner<TOrder>(_pages[page]);
            if (index + 1 >= inner.Count)
                continue;
            _path[level] = (page, index + 1);
            uint child = inner.ChildAt(index + 1);
            for (level--; level > 0; level--)
            {
                _path[level] = (child, 0);
                child = new TreeInner<TOrder>(_pages[child]).ChildAt(0);
            }

            Enter(child, 0);
            return IsValid;
        }

        _index = _count;
        return false;
    }

    private bool MoveToPreviousLeaf()
    {
        for (int level = 1; level <= _level; level++)
        {
            var (page, index) = _path[level];
            if (index == 0)
                continue;
            _path[level] = (page, index - 1);
            uint child = new TreeInner<TOrder>(_pages[page]).ChildAt(index - 1);
            for (level--; level > 0; level--)
            {
                var inner = new TreeInner<TOrder>(_pages[child]);
                int last = Math.Max(0, inner.Count - 1);
                _path[level] = (child, last);
                child = inner.ChildAt(last);
            }

            Enter(child, 0);
            _index = _count - 1;
            return IsValid;
        }

        _index = -1;
        return false;
    }

    private void Enter(uint page, int index)
    {
        _path[0] = (page, 0);
        _count = new TreeLeaf<TOrder>(_pages[page]).Count;
        _index = Math.Min(index, _count);
    }

    [InlineArray(TreePage.LevelsMax)]
    private struct Levels
    {
        private (uint Page, int Index) _first;
    }
}
