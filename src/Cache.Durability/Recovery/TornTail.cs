namespace Cache.Durability.Recovery;

/// <summary>Where the journal ends before its last bytes: what lies behind was never on the disk as a whole.</summary>
/// <param name="File">The file.</param>
/// <param name="Offset">Where in it.</param>
/// <param name="Sequence">The first block that is not there.</param>
/// <param name="Bytes">How many bytes of later blocks are there and do not count.</param>
/// <param name="Milliseconds">From the last block that counts to the last one that does not.</param>
internal sealed record TornTail(string File, long Offset, ulong Sequence, long Bytes, long Milliseconds);
