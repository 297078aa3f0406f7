namespace Cache.Server.Commands.Arguments;

/// <summary>When a key expires: in the store's time or on the wall clock; the other is 0.</summary>
internal readonly record struct ExpireMoment(long StoreMs, long UnixMs);
