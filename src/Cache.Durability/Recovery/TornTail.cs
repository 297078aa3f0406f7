namespace Cache.Durability.Recovery;

/// <summary>The place where the journal ends: the bytes behind it were never completely on the disk.</summary>
/// <param name="File">The file.</param>
/// <param name="Offset">The offset in the file.</param>
/// <param name="Sequence">The first missing block.</param>
/// <param name="Bytes">The bytes of later blocks that exist and are ignored.</param>
/// <param name="Milliseconds">The time from the last valid block to the last ignored one.</param>
internal sealed record TornTail(string File, long Offset, ulong Sequence, long Bytes, long Milliseconds);
