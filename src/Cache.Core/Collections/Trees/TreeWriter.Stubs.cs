using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <content>What stubs stand for: counted with the pages, and released with their elements.</content>
internal ref partial struct TreeWriter<TOrder>
{
    /// <summary>What the stubs of an element count: a block once, in the first tree of a collection.</summary>
    public static long StubBytesOf(TreePages pages, in TreeEntry entry) =>
        !entry.HasStub || TOrder.IsSecond || pages.Stubs is not { } owner ? 0 : owner.SizeOf(entry.Stub);

    private readonly void CountStubs(in TreeEntry entry)
    {
        if (entry.HasStub)
            _root.PageBytes += StubBytesOf(_pages, in entry);
    }

    // Of the element at the end of the path, which is about to go or to be overwritten. If a snapshot has it, that has
    // references of its own.
    private readonly void ReleaseStubs()
    {
        var entry = LeafAt(Path[0].Page).EntryAt(Path[0].Index);
        if (!entry.HasStub || _pages.Stubs is not { } owner)
            return;
        _root.PageBytes -= StubBytesOf(_pages, in entry);
        if (entry.IsNameStub)
            owner.Release(ElementStub.EndOf(entry.Name));
        if (entry.IsValueStub)
            owner.Release(entry.Value);
    }
}
