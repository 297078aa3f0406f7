using System.Buffers.Binary;
using Cache.Core;

namespace Cache.Bench.Subjects;

/// <summary>The byte limit under which a store holds a given number of equal-sized entries.</summary>
/// <remarks>
/// Found by trial, so that it holds for any store: a limit is tried by writing far more new entries than fit, and
/// looking at how many the store held at most. Values are long enough that the entries fill the least limit.
/// </remarks>
internal readonly record struct CapacityLimit(long MemoryLimitBytes, int ValueLength)
{
    /// <summary>As long as those of the other measurements; the first eight bytes tell them apart.</summary>
    public const int KeyLength = BenchKey.Length;

    private const int ValueLengthMin = 64;

    // How often the store is filled to see what it holds at most.
    private const int Fills = 3;

    public static CapacityLimit Find(int capacity) =>
        Find(capacity, (int)Math.Max(ValueLengthMin, CacheOptions.MemoryLimitMin / capacity + 1));

    /// <summary>As the other, with values of a length; more fit if these do not fill the least limit.</summary>
    public static CapacityLimit Find(int capacity, int valueLength)
    {
        long low = (long)capacity * (KeyLength + valueLength);
        low = Math.Max(low, CacheOptions.MemoryLimitMin);
        long high = low * 2;
        while (PeakOf(high, valueLength, capacity) <= capacity)
            high *= 2;
        while (high - low > Math.Max(1, valueLength / 16))
        {
            long middle = low + (high - low) / 2;
            if (PeakOf(middle, valueLength, capacity) > capacity)
                high = middle;
            else
                low = middle;
        }

        return new CapacityLimit(low, valueLength);
    }

    public CacheOptions CreateOptions() => new() { MemoryLimitBytes = MemoryLimitBytes, KeyspaceCount = 1 };

    private static long PeakOf(long memoryLimitBytes, int valueLength, int capacity)
    {
        using var store = new CacheStore(new CapacityLimit(memoryLimitBytes, valueLength).CreateOptions());
        byte[] value = new byte[valueLength];
        Span<byte> key = stackalloc byte[KeyLength];
        long peak = 0;
        for (long id = 0; id < (long)capacity * Fills && peak <= capacity; id++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(key, id);
            if (store.Set(key, value) is var status and not WriteStatus.Done)
                throw new WrongAnswerException($"SET under a limit of {memoryLimitBytes} bytes: {status}.");
            peak = Math.Max(peak, store.Count);
        }

        return peak;
    }
}
