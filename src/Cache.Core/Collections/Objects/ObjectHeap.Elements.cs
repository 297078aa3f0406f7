using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <content>Elements that trees get, with the references of their stubs.</content>
internal sealed partial class ObjectHeap
{
    /// <summary>Sets an element of a tree that the caller holds; its stubs get references of the tree's.</summary>
    public TreeChange Set<TOrder>(
        ref TreeRoot root, ref TreeEpochs epochs, uint number, ulong key, scoped TreeEntry entry)
        where TOrder : struct, ITreeOrder
    {
        scoped var writer = new TreeWriter<TOrder>(Pages, ref root, ref epochs, number);
        if (!entry.HasStub)
            return writer.Set(key, entry);
        LongElements.AddReferences(entry);
        var change = writer.Set(key, entry);
        if (change is TreeChange.NoRoom or TreeChange.None)
            LongElements.ReleaseAll(entry);
        return change;
    }
}
