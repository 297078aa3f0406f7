namespace Cache.Core.Layout;

/// <summary>A tree: what its collection keeps of it, under the collection's lock and version.</summary>
internal struct TreeRoot
{
    /// <summary>The root's page; 0: the tree is empty.</summary>
    public uint Page;

    /// <summary>The number of elements.</summary>
    public uint Count;

    /// <summary>The bytes of its pages, and of what stubs stand for, without what only snapshots have.</summary>
    public long PageBytes;
}

/// <summary>Which pages of a collection belong to snapshots too; under the collection's lock and version.</summary>
internal struct TreeEpochs
{
    /// <summary>What pages that are made now are marked with.</summary>
    public uint Epoch;

    /// <summary>Pages of earlier epochs belong to a snapshot, and are never changed; 0: there is none.</summary>
    public uint SharedBefore;

    /// <summary>The last epoch in which a page was made: without one, the next snapshot needs no new epoch.</summary>
    public uint MadeAt;

    /// <summary>The newest snapshot; 0: there is none.</summary>
    public uint Newest;
}
