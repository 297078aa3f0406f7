using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <content>What stubs stand for: counted with the pages, and released with their elements.</content>
internal ref partial struct TreeWriter<TOrder>
{
    /// <summary>What the stubs of an element count.</summary>
    public static long StubBytesOf(TreePages pages, in TreeEntry entry) =>
        !entry.HasStub || pages.Stubs is not { } owner ? 0
        : (entry.IsNameStub ? owner.SizeOf(entry.Name) : 0) + (entry.IsValueStub ? owner.SizeOf(entry.Value) : 0);

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
            owner.Release(entry.Name);
        if (entry.IsValueStub)
            owner.Release(entry.Value);
    }
}
