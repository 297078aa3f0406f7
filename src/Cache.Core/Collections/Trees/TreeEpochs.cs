namespace Cache.Core.Collections.Trees;

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
