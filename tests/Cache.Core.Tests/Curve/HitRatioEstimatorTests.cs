using Cache.Core.Curve;

namespace Cache.Core.Tests.Curve;

/// <summary>The estimator with figures that the store may show it.</summary>
public class HitRatioEstimatorTests
{
    private const long LimitBytes = 64 << 20;

    private readonly AccessSamples _samples = new();
    private readonly HitRatioEstimator _estimator;
    private readonly Random _random = new(1);
    private CurveFigures _figures = new() { LimitBytes = LimitBytes, LiveBytes = 0, UsedBytes = 0, NowMs = 1 };

    public HitRatioEstimatorTests() => _estimator = new HitRatioEstimator(_samples, LimitBytes, promotionThreshold: 2);

    // Two threads of a stripe may take counts back: one has read it long before it writes it.
    [Fact]
    public void Update_CountsThatFallALittle_LeaveTheCurveAsItIs()
    {
        _figures = _figures with { Hits = 1_000_000 };
        Update();
        _figures = _figures with { NowMs = _figures.NowMs + 36_000_000 }; // Half after ten minutes.
        Update();
        _figures = _figures with { Misses = 1_000_000 };
        Update();
        Assert.Equal(0, PresentRatio(), tolerance: 0.01);

        _figures = _figures with { Hits = _figures.Hits - 1_000 };
        Update();

        Assert.Equal(0, PresentRatio(), tolerance: 0.01);
    }

    [Fact]
    public void Update_AnotherLimit_ForgetsWhatWasCounted()
    {
        for (int look = 0; look < 10; look++)
            ReadSome();
        Assert.True(_estimator.Read().IsKnown);

        _figures = _figures with { LimitBytes = 2 * LimitBytes };
        Update();

        Assert.False(_estimator.Read().IsKnown);
        Assert.Equal(2 * LimitBytes, _estimator.Read().Points[2].MemoryLimitBytes);
    }

    [Theory]
    [InlineData(50_000, 2_500)]
    [InlineData(2_000, 3_500)]
    public void Update_MoreNotesThanAreWorthTheirTime_SamplesFewerKeysButEnough(int keys, int readsOfALook)
    {
        ulong[] hashes = new ulong[keys];
        foreach (ref ulong hash in hashes.AsSpan())
            hash = (ulong)_random.NextInt64();

        int notes = 0;
        for (int look = 0; look < 200; look++)
            notes = ReadSome(hashes, readsOfALook);

        var curve = _estimator.Read();
        Assert.True(notes <= 600 || curve.SampledKeys <= 1_024, $"{notes} notes of {curve.SampledKeys} keys");
        Assert.InRange(curve.SampledKeys, 400, 8_192);
    }

    // Only the sampled ones are noted, as by the store; all are written first.
    private int ReadSome(ulong[] hashes, int count)
    {
        int noted = 0;
        for (int i = 0; i < count; i++)
        {
            ulong hash = hashes[_random.Next(hashes.Length)];
            if (!_samples.IsSampled(hash))
                continue;
            noted++;
            _samples.Note(hash, AccessKind.Write);
        }

        _figures = _figures with { NowMs = _figures.NowMs + 100 };
        Update();
        return noted;
    }

    private void ReadSome()
    {
        for (int i = 0; i < 1_000; i++)
            _samples.Note((ulong)_random.NextInt64(), AccessKind.Miss);
        _figures = _figures with { Misses = _figures.Misses + 1_000 };
        Update();
    }

    private double PresentRatio() => _estimator.Read().Points[2].HitRatio;

    private void Update()
    {
        var nothing = default(NoEntries);
        _estimator.Update(_figures, ref nothing);
    }

    private readonly struct NoEntries : ISampledEntries
    {
        public bool TryFind(ulong hash, out SampledEntry entry)
        {
            entry = default;
            return false;
        }
    }
}
