namespace Cache.Server.Commands.Arguments;

/// <summary>When a key expires: at a moment of the store's time, or of the wall clock; the other is 0.</summary>
internal readonly record struct ExpireMoment(long StoreMs, long UnixMs);
