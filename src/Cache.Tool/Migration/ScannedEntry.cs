namespace Cache.Tool.Migration;

/// <summary>An entry that was read by SCAN and DUMP.</summary>
/// <param name="Database">Its database.</param>
/// <param name="Key">Its key.</param>
/// <param name="Payload">What DUMP tells of it; empty: it was refused.</param>
/// <param name="ExpiresAtMs">When it expires, in milliseconds since 1970; null: never.</param>
/// <param name="Refusal">Why it cannot be read; null: it can.</param>
internal readonly record struct ScannedEntry(
    int Database, byte[] Key, byte[] Payload, long? ExpiresAtMs, string? Refusal);
