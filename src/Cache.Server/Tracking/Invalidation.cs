namespace Cache.Server.Tracking;

/// <summary>What a client must be told.</summary>
/// <param name="Key">The key that has changed; null: all have.</param>
/// <param name="Client">The number of the client that has read it; 0: all clients.</param>
/// <param name="Writer">The number of the client that has changed it; 0: none, or one that does not matter.</param>
internal readonly record struct Invalidation(byte[]? Key, long Client, long Writer);
