namespace Cache.Core.Collections.Trees;

/// <summary>A tree: what its collection keeps of it, under the collection's lock and version.</summary>
internal struct TreeRoot
{
    /// <summary>The root's page; 0: the tree is empty.</summary>
    public uint Page;

    /// <summary>The number of elements.</summary>
    public uint Count;

    /// <summary>The bytes of its pages, without those that only snapshots have.</summary>
    public long PageBytes;
}
