namespace Cache.Core.Log;

/// <summary>The address space that a store reserves for each part: a pure function of what is available.</summary>
/// <remarks>
/// Where address space costs nothing, enough for the limit to rise to the machine's memory later, and for gaps between
/// blocks. Where the process may have only a limited amount, the rest of it (the runtime's heap, stacks, libraries)
/// needs addresses too: then a small fraction of the free ones, but never less than the limit needs.
/// </remarks>
internal readonly record struct AddressShares(long RecordBytes, long IndexBytes, long BlockBytes)
{
    // Gaps between blocks take addresses, not memory. A block that finds no gap has memory by itself.
    private const int BlockFactor = 2;

    // The fraction of limited addresses that the store takes, unless its limit needs more.
    private const int FreeDivisor = 4;

    public long Sum => RecordBytes + IndexBytes + BlockBytes;

    /// <param name="limitBytes">The store's limit.</param>
    /// <param name="machineBytes">The most that the limit may become.</param>
    /// <param name="freeBytes">The address space that the process may still take.</param>
    public static AddressShares Create(long limitBytes, long machineBytes, long freeBytes)
    {
        var wanted = new AddressShares(
            machineBytes, machineBytes, Math.Max(machineBytes, BlockFactor * limitBytes));
        var least = new AddressShares(limitBytes, limitBytes, BlockFactor * limitBytes);
        long more = Math.Max(0, freeBytes / FreeDivisor - least.Sum);
        double share = Math.Min(1, (double)more / Math.Max(1, wanted.Sum - least.Sum));
        return new AddressShares(
            least.RecordBytes + (long)(share * (wanted.RecordBytes - least.RecordBytes)),
            least.IndexBytes + (long)(share * (wanted.IndexBytes - least.IndexBytes)),
            least.BlockBytes + (long)(share * (wanted.BlockBytes - least.BlockBytes)));
    }
}
