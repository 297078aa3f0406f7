using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>Gives the pages of a tree back that nothing refers to.</summary>
internal static class TreeEnd<TOrder>
    where TOrder : struct, ITreeOrder
{
    /// <summary>Gives back at least one page, and about as many as are asked for.</summary>
    /// <param name="pages">The pages.</param>
    /// <param name="root">The root; 0 when nothing is left.</param>
    /// <param name="pagesMax">How many; as many more as the tree has levels.</param>
    /// <returns>How many were given back; stubs count too.</returns>
    public static int Free(TreePages pages, ref uint root, int pagesMax)
    {
        Debug.Assert(root != 0);
        var at = pages.Addresses;
        int freed = 0;
        while (root != 0 && freed < pagesMax)
        {
            if (at[root].IsLeaf)
            {
                freed += FreeLeaf(pages, root);
                root = 0;
                return freed;
            }

            freed += FreeLast(pages, root, pagesMax - freed);
            if (at[root].Count != 0)
                continue;
            pages.Give(root);
            root = 0;
            freed++;
        }

        return freed;
    }

    // Children from the end of an inner page on; those of its last child first.
    private static int FreeLast(TreePages pages, uint page, int pagesMax)
    {
        var at = pages.Addresses;
        var inner = new TreeInner<TOrder>(at[page]);
        int left = inner.Count, freed = 0;
        if (inner.Page.Level == 1)
        {
            while (left > 0 && freed < pagesMax)
                freed += FreeLeaf(pages, inner.ChildAt(--left));
        }
        else
        {
            uint child = inner.ChildAt(left - 1);
            freed = FreeLast(pages, child, pagesMax);
            if (at[child].Count != 0)
                return freed;
            pages.Give(child);
            freed++;
            left--;
        }

        inner.Truncate(left);
        return freed;
    }

    // Stubs take as long as pages, some of them.
    private static int FreeLeaf(TreePages pages, uint page) =>
        1 + LeafStubs.Free(pages, page) / TreeGraveyard.StubsPerPage;
}
