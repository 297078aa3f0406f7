namespace Cache.Durability.Recovery;

/// <summary>Blocks that were on the disk, cannot be read any more, and were skipped by a recovery.</summary>
/// <param name="File">The file.</param>
/// <param name="Offset">The offset in the file.</param>
/// <param name="First">The sequence of the first.</param>
/// <param name="Last">The sequence of the last.</param>
internal sealed record Gap(string File, long Offset, ulong First, ulong Last);
