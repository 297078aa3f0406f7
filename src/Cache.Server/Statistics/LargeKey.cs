namespace Cache.Server.Statistics;

/// <summary>A key that takes much memory.</summary>
/// <param name="Key">The key, or the beginning of a long one.</param>
/// <param name="Database">Its database.</param>
/// <param name="MemoryBytes">The memory of its entry.</param>
/// <param name="Length">The length of its value.</param>
internal readonly record struct LargeKey(byte[] Key, int Database, long MemoryBytes, long Length);
