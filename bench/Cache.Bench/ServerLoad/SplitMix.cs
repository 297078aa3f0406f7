namespace Cache.Bench.ServerLoad;

/// <summary>SplitMix64: random enough for keys, a nanosecond a number, the same sequence for the same seed.</summary>
internal struct SplitMix(ulong seed)
{
    private const ulong Step = 0x9E3779B97F4A7C15;

    private ulong _state = seed;

    public static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }

    public ulong Next() => Mix(_state += Step);

    /// <summary>A number from 0 up to, not including, 1.</summary>
    public double NextDouble() => (Next() >> 11) * (1.0 / (1UL << 53));

    /// <summary>A number from 0 up to, not including, <paramref name="bound"/>.</summary>
    public long NextBelow(long bound) => (long)Math.BigMul(Next(), (ulong)bound, out _);
}
