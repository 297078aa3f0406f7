using System.Buffers.Binary;
using Cache.Core;

namespace AspNet;

/// <summary>
/// Reads keys of which few are asked for often and many seldom, and writes those that are missing, as applications do.
/// </summary>
internal sealed class Traffic(CacheStore store)
{
    private const int Reads = 50_000;
    private const int Keys = 200_000;
    private const int ValueBytes = 2_000;

    // The larger, the more often the first keys are asked for.
    private const double Skew = 3;

    /// <summary>Runs once through; some tenths of a second.</summary>
    /// <returns>How many of the reads were hits.</returns>
    public int Run()
    {
        int hits = 0;
        var value = new byte[ValueBytes];
        Span<byte> key = [.. "traffic:"u8, 0, 0, 0, 0];
        for (int i = 0; i < Reads; i++)
        {
            int number = (int)(Keys * Math.Pow(Random.Shared.NextDouble(), Skew));
            BinaryPrimitives.WriteInt32BigEndian(key[^sizeof(int)..], number);
            if (store.Contains(key))
                hits++;
            else
                store.Set(key, value, new EntryOptions { ExpiresAtMs = store.NowMs + 600_000 });
        }

        return hits;
    }
}
