using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>The stubs in a leaf whose collection is not known: what they stand for is shared, or released.</summary>
internal static class LeafStubs
{
    /// <summary>
    /// Takes a reference for each stub: the leaf stays for a snapshot, and its elements are in another one.
    /// </summary>
    public static void Share(TreePages pages, uint page) => Visit(pages, page, isShared: true);

    /// <summary>Drops the reference of each stub: the leaf's memory goes.</summary>
    public static void Release(TreePages pages, uint page) => Visit(pages, page, isShared: false);

    /// <summary>Drops the reference of each stub, and gives the leaf back.</summary>
    /// <returns>How many stubs there were.</returns>
    public static int Free(TreePages pages, uint page)
    {
        int count = Visit(pages, page, isShared: false);
        pages.Give(page);
        return count;
    }

    private static int Visit(TreePages pages, uint page, bool isShared)
    {
        var leaf = pages.Addresses[page];
        return leaf.StubCode == 0 || pages.Stubs is not { } owner ? 0 : leaf.StubCode switch
        {
            1 => Visit(new TreeLeaf<ByHashWithValue>(leaf), owner, isShared),
            2 => Visit(new TreeLeaf<ByHash>(leaf), owner, isShared),
            3 => Visit(new TreeLeaf<ByScore>(leaf), owner, isShared),
            4 => Visit(new TreeLeaf<ByNumber>(leaf), owner, isShared),
            _ => Visit(new TreeLeaf<ByPosition>(leaf), owner, isShared),
        };
    }

    private static int Visit<TOrder>(TreeLeaf<TOrder> leaf, StubOwner owner, bool isShared)
        where TOrder : struct, ITreeOrder
    {
        Debug.Assert(leaf.Page.StubCode == TOrder.Code);
        int count = 0;
        for (int i = 0; i < leaf.Count; i++)
        {
            var entry = leaf.EntryAt(i);
            if (entry.IsNameStub)
                Visit(ElementStub.EndOf(entry.Name), owner, isShared);
            if (entry.IsValueStub)
                Visit(entry.Value, owner, isShared);
            count += entry.HasStub ? 1 : 0;
        }

        return count;
    }

    private static void Visit(ReadOnlySpan<byte> stub, StubOwner owner, bool isShared)
    {
        if (isShared)
            owner.AddReference(stub);
        else
            owner.Release(stub);
    }
}
