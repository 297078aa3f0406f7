namespace Cache.Durability.Attachment;

/// <summary>A block in a <see cref="LoadBatch"/>.</summary>
/// <param name="File">Its file, for errors.</param>
/// <param name="Offset">The offset of the block in it.</param>
/// <param name="FirstLsn">The place of its first record.</param>
/// <param name="WallMs">When it or a block before it was written, whichever is later.</param>
/// <param name="Start">Where its records begin in the batch.</param>
/// <param name="Length">Their bytes.</param>
internal readonly record struct LoadedBlock(
    string File, long Offset, ulong FirstLsn, long WallMs, int Start, int Length);
