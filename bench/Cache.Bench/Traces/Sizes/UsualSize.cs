namespace Cache.Bench.Traces.Sizes;

/// <summary>The mean size of what eviction looked at lately, without the weight of single long entries.</summary>
internal struct UsualSize
{
    // A size counts as so many usual ones at most; of the last so many looks.
    private const int MostTimes = 8;
    private const int Looks = 1_024;

    private double _mean;

    /// <summary>-1 for an entry of less than half of the usual size, 1 for more than four times, else 0.</summary>
    public int ClassOf(int bytes)
    {
        _mean = _mean == 0 ? bytes : _mean + (Math.Min(bytes, MostTimes * _mean) - _mean) / Looks;
        return bytes < _mean / 2 ? -1 : bytes > _mean * 4 ? 1 : 0;
    }
}
