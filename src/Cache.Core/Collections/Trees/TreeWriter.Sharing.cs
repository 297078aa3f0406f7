using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <content>Pages that snapshots have: copied before a change, and kept for the snapshots.</content>
internal ref partial struct TreeWriter<TOrder>
{
    private readonly bool IsShared(uint page) => _at[page].Epoch < _epochs.SharedBefore;

    private void PlanCopies()
    {
        if (_epochs.SharedBefore == 0)
            return;
        int shared = 0;
        for (int level = _top; level >= 0; level--)
            shared += IsShared(Path[level].Page) ? 1 : 0;
        if (shared == 0)
            return;
        if (!TreeSnapshots.HasRoom(_at, in _epochs, shared))
            Plan.Want(TreeSnapshots.ListGrains);
        for (int level = _top; level >= 0; level--)
        {
            if (IsShared(Path[level].Page))
                Plan.Want(_at[Path[level].Page].Grains);
        }
    }

    // From the root down: a copy is linked in a page that was copied before.
    private void CopyShared()
    {
        bool isFirst = true;
        for (int level = _epochs.SharedBefore == 0 ? -1 : _top; level >= 0; level--)
        {
            uint page = Path[level].Page;
            if (!IsShared(page))
                continue;
            if (isFirst && !TreeSnapshots.HasRoom(_at, in _epochs, level + 1))
                TreeSnapshots.AddList(_at, in _epochs, Plan.Next());
            isFirst = false;
            uint copy = Plan.Next();
            _at[page].CopyTo(_at[copy]);
            var made = _at[copy];
            made.Epoch = _epochs.Epoch;
            _epochs.MadeAt = _epochs.Epoch;
            TreeSnapshots.Retire(_pages, ref _epochs, page);
            Path[level].Page = copy;
            Relink(level, copy);
        }
    }

    // Whether the lists of the snapshots have room for two pages more, if they are theirs.
    private readonly bool CanDrop(uint first, uint second) =>
        _epochs.SharedBefore == 0 || (!IsShared(first) && !IsShared(second))
        || TreeSnapshots.HasRoom(_at, in _epochs, 2);

    private void Drop(uint page)
    {
        _root.PageBytes -= _at[page].Length;
        if (_epochs.SharedBefore != 0 && IsShared(page))
            TreeSnapshots.Retire(_pages, ref _epochs, page);
        else
            Plan.Drop(page);
    }
}
