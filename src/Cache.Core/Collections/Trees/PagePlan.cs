using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>The pages of one write: what it needs, taken before it changes anything; and what it replaces.</summary>
/// <remarks>
/// Needs are met in their order. What was replaced goes back last: separators are read from it until then.
/// </remarks>
internal struct PagePlan
{
    // Two for each level that is split, a copy of each that a snapshot has, a root, and a page that lists the replaced.
    private const int WantedMax = 3 * TreePage.LevelsMax + 4;

    private Numbers _numbers; // First the wanted lengths, then the pages.
    private Dropped _dropped;
    private int _wanted;
    private int _taken;
    private int _used;
    private int _droppedCount;

    /// <summary>Asks for a page of so many grains.</summary>
    public void Want(int grains)
    {
        Debug.Assert(grains is >= 1 and <= TreePage.GrainsMax);
        Debug.Assert(_taken == 0, "What is wanted is known before it is taken.");
        _numbers[_wanted++] = (uint)grains;
    }

    /// <summary>Takes all pages, or none.</summary>
    public bool TryTake(TreePages pages, bool mayOverdraw = false)
    {
        for (; _taken < _wanted; _taken++)
        {
            if (pages.TryTake((int)_numbers[_taken], out uint page, mayOverdraw))
            {
                _numbers[_taken] = page;
                continue;
            }

            for (int i = 0; i < _taken; i++)
                pages.Give(_numbers[i]);
            Clear();
            return false;
        }

        return true;
    }

    /// <summary>The next page, in the order of asking.</summary>
    public uint Next()
    {
        Debug.Assert(_used < _taken, "A write asks for all that it needs.");
        return _numbers[_used++];
    }

    /// <summary>Notes a page that nothing refers to any more.</summary>
    public void Drop(uint page) => _dropped[_droppedCount++] = page;

    /// <summary>Gives back what was replaced.</summary>
    public void GiveDropped(TreePages pages)
    {
        Debug.Assert(_used == _wanted, "A write needs all that it asked for.");
        for (int i = 0; i < _droppedCount; i++)
            pages.Give(_dropped[i]);
        Clear();
    }

    /// <summary>Forgets what was wanted.</summary>
    public void Clear() => _wanted = _taken = _used = _droppedCount = 0;

    [InlineArray(WantedMax)]
    private struct Numbers
    {
        private uint _first;
    }

    // A write replaces its path, a merge two pages of each level.
    [InlineArray(2 * TreePage.LevelsMax + 2)]
    private struct Dropped
    {
        private uint _first;
    }
}
