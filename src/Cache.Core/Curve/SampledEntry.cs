namespace Cache.Core.Curve;

/// <summary>What a simulation needs to know of an entry.</summary>
/// <param name="SizeBytes">The bytes of its record and its block.</param>
/// <param name="ExpiresAtMs">When it expires, in milliseconds of the store's clock; 0: never.</param>
/// <param name="SlidingMs">The interval without use after which it expires, in milliseconds; 0: none.</param>
/// <param name="AbsoluteMs">With such an interval, when it expires even if used, as the other; 0: never.</param>
/// <param name="Keyspace">Its keyspace.</param>
/// <param name="IsPaged">Whether it is a large collection.</param>
internal readonly record struct SampledEntry(
    long SizeBytes, long ExpiresAtMs, long SlidingMs, long AbsoluteMs, byte Keyspace, bool IsPaged)
{
    /// <summary>The bytes by which the uses that it needs to stay depend on its size; 0: they do not.</summary>
    public long CountedBytes => IsPaged ? 0 : SizeBytes;

    /// <summary>The same entry after a use.</summary>
    public SampledEntry Renewed(long nowMs)
    {
        long expiresAtMs = nowMs + SlidingMs;
        return this with { ExpiresAtMs = AbsoluteMs == 0 ? expiresAtMs : Math.Min(expiresAtMs, AbsoluteMs) };
    }
}
