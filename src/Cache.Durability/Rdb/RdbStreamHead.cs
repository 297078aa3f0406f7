namespace Cache.Durability.Rdb;

/// <summary>What is known of a stream besides its entries.</summary>
/// <param name="Length">The number of entries.</param>
/// <param name="Last">The greatest id that an entry has had.</param>
/// <param name="First">The first entry's id; 0-0: there is none.</param>
/// <param name="MaxRemoved">The greatest id of one that was removed.</param>
/// <param name="Added">The number of entries that were ever added.</param>
internal readonly record struct RdbStreamHead(
    long Length, RdbStreamId Last, RdbStreamId First, RdbStreamId MaxRemoved, long Added);
