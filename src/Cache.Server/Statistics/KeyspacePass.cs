namespace Cache.Server.Statistics;

/// <summary>What a pass over all entries has found; never changed.</summary>
/// <param name="Prefixes">Entries, memory and times to live by prefixes.</param>
/// <param name="Largest">The keys that take most memory, the largest first.</param>
/// <param name="Separator">What ended the parts of a key.</param>
/// <param name="Keys">The entries that were seen.</param>
/// <param name="EndedAtMs">When it ended, or was looked at, by the store's clock.</param>
/// <param name="IsComplete">Whether it has seen all; false only while there is no complete one.</param>
internal sealed record KeyspacePass(
    PrefixTable Prefixes, IReadOnlyList<LargeKey> Largest, byte Separator, long Keys, long EndedAtMs, bool IsComplete);
