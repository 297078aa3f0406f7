namespace Cache.Bench.Traces.Policies;

/// <summary>How often ids were used lately, at most 15 times; halved now and then.</summary>
/// <remarks>Source: TinyLFU (Einziger, Friedman and Manes, TOS'17): a count-min sketch of four rows.</remarks>
internal sealed class FrequencySketch
{
    private const int Rows = 4;
    private const int Most = 15;
    private const int SampleFactor = 10;

    private readonly byte[] _counts;
    private readonly int _mask;
    private readonly int _sampleSize;
    private int _additions;

    public FrequencySketch(int capacity)
    {
        int width = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Max(64, capacity));
        _counts = new byte[width * Rows];
        _mask = width - 1;
        _sampleSize = SampleFactor * capacity;
    }

    public int CountOf(int id)
    {
        int least = Most;
        for (int row = 0; row < Rows; row++)
            least = Math.Min(least, _counts[IndexOf(id, row)]);
        return least;
    }

    public void Add(int id)
    {
        bool isAdded = false;
        for (int row = 0; row < Rows; row++)
        {
            ref byte count = ref _counts[IndexOf(id, row)];
            isAdded |= count < Most;
            count = (byte)Math.Min(Most, count + 1);
        }

        if (isAdded && ++_additions >= _sampleSize)
            Halve();
    }

    private void Halve()
    {
        foreach (ref byte count in _counts.AsSpan())
            count /= 2;
        _additions /= 2;
    }

    private int IndexOf(int id, int row)
    {
        ulong hash = ((ulong)(uint)id + 1) * 0x9E3779B97F4A7C15UL + (ulong)row * 0xC2B2AE3D27D4EB4FUL;
        hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93UL;
        return row * (_mask + 1) + (int)((hash ^ (hash >> 29)) & (ulong)_mask);
    }
}
