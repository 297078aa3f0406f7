namespace Cache.Durability.Recovery;

/// <summary>Blocks that were on the disk and cannot be read any more, in a recovery that skips them.</summary>
/// <param name="File">The file.</param>
/// <param name="Offset">Where in it.</param>
/// <param name="First">The sequence of the first of them.</param>
/// <param name="Last">The sequence of the last one.</param>
internal sealed record Gap(string File, long Offset, ulong First, ulong Last);
