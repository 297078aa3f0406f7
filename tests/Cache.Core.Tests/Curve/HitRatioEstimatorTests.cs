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
