using System.Diagnostics;

namespace Cache.Server.Statistics;

/// <summary>
/// The last ten minutes of some series by seconds, and their last day by tens of seconds. Thread-safe.
/// </summary>
/// <remarks>
/// About 74 KB a series, whose pages are touched as time passes. A point of ten seconds is the mean of its seconds, or
/// their maximum, as the series says. Seconds without a sample have no point: a range is found by its moments.
/// </remarks>
/// <param name="series">The series.</param>
internal sealed class MetricHistory(IReadOnlyList<MetricSeries> series)
{
    /// <summary>The points of one second each.</summary>
    public const int FineCount = 600;

    /// <summary>The points of ten seconds each.</summary>
    public const int CoarseCount = 8640;

    /// <summary>The seconds of a point of the second kind.</summary>
    public const int CoarseSeconds = 10;

    private readonly Lock _lock = new();
    private readonly IReadOnlyList<MetricSeries> _series = series;
    private readonly Ring _fine = new(FineCount, series.Count);
    private readonly Ring _coarse = new(CoarseCount, series.Count);

    // The point of ten seconds that is under way.
    private readonly double[] _sums = new double[series.Count];
    private long _coarseAt = -1;
    private int _samples;

    /// <summary>Adds a sample of all series.</summary>
    /// <param name="atUnixSeconds">Its second; one before the last sample's counts as that.</param>
    /// <param name="values">The value of each series.</param>
    public void Add(long atUnixSeconds, ReadOnlySpan<double> values)
    {
        Debug.Assert(values.Length == _series.Count);
        lock (_lock)
        {
            atUnixSeconds = Math.Max(atUnixSeconds, _fine.Last); // A clock that is slewed may show a second twice.
            _fine.Add(atUnixSeconds, values);
            long coarseAt = atUnixSeconds - atUnixSeconds % CoarseSeconds;
            if (coarseAt != _coarseAt && _samples > 0)
                EndCoarse();
            _coarseAt = coarseAt;
            for (int i = 0; i < values.Length; i++)
                _sums[i] = _series[i].IsMaximum ? Math.Max(_sums[i], values[i]) : _sums[i] + values[i];
            _samples++;
        }
    }

    /// <summary>Moves all moments, since the clock was set: points stay as old as they are, and in order.</summary>
    /// <param name="seconds">By how much it was set; negative: back.</param>
    public void Shift(long seconds)
    {
        lock (_lock)
        {
            _fine.Shift(seconds);
            _coarse.Shift(seconds / CoarseSeconds * CoarseSeconds);
            if (_samples > 0)
                EndCoarse();
        }
    }

    /// <summary>The points of a series since a moment, the oldest first.</summary>
    /// <param name="series">The index of the series.</param>
    /// <param name="sinceUnixSeconds">The first second.</param>
    /// <param name="isCoarse">Whether points of ten seconds are wanted.</param>
    public List<(long AtUnixSeconds, double Value)> Read(int series, long sinceUnixSeconds, bool isCoarse)
    {
        lock (_lock)
            return (isCoarse ? _coarse : _fine).Read(series, sinceUnixSeconds);
    }

    /// <summary>All points of all series, the oldest first.</summary>
    /// <param name="isCoarse">Whether points of ten seconds are wanted.</param>
    public List<(long AtUnixSeconds, double[] Values)> ReadAll(bool isCoarse)
    {
        lock (_lock)
            return (isCoarse ? _coarse : _fine).ReadAll(_series.Count);
    }

    /// <summary>The last sample of a series; 0 before the first.</summary>
    public double ReadLast(int series)
    {
        lock (_lock)
            return _fine.ReadLast(series);
    }

    private void EndCoarse()
    {
        for (int i = 0; i < _sums.Length; i++)
            _sums[i] /= _series[i].IsMaximum ? 1 : _samples;
        _coarse.Add(Math.Max(_coarseAt, _coarse.Last), _sums);
        Array.Clear(_sums);
        _samples = 0;
    }

    private sealed class Ring(int length, int seriesCount)
    {
        private readonly long[] _moments = new long[length];
        private readonly double[] _values = new double[length * seriesCount];
        private long _added;

        /// <summary>The moment that was added last; that of no clock before the first.</summary>
        public long Last => _added == 0 ? long.MinValue : _moments[(int)((_added - 1) % length)];

        public void Shift(long by)
        {
            for (int i = 0; i < Math.Min(_added, length); i++)
                _moments[i] += by;
        }

        public void Add(long moment, ReadOnlySpan<double> values)
        {
            int index = (int)(_added++ % length);
            _moments[index] = moment;
            for (int i = 0; i < values.Length; i++)
                _values[i * length + index] = values[i];
        }

        public List<(long, double)> Read(int series, long since)
        {
            var points = new List<(long, double)>();
            for (long i = Math.Max(0, _added - length); i < _added; i++)
            {
                int index = (int)(i % length);
                if (_moments[index] >= since)
                    points.Add((_moments[index], _values[series * length + index]));
            }

            return points;
        }

        public List<(long, double[])> ReadAll(int count)
        {
            var points = new List<(long, double[])>();
            for (long i = Math.Max(0, _added - length); i < _added; i++)
            {
                int index = (int)(i % length);
                double[] values = new double[count];
                for (int j = 0; j < count; j++)
                    values[j] = _values[j * length + index];
                points.Add((_moments[index], values));
            }

            return points;
        }

        public double ReadLast(int series) => _added == 0 ? 0 : _values[series * length + (int)((_added - 1) % length)];
    }
}
