using Cache.Core;
using Cache.Server.Commands.Administration;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class CurveAdviceTests
{
    [Theory]
    [InlineData("75 MB less would answer 0.4 % of the reads fewer.", 0.896, 0.898, 0.9, 0.96, 0.99)]
    [InlineData("50 MB less would answer 0.2 % of the reads fewer.", 0.85, 0.898, 0.9, 0.96, 0.99)]
    [InlineData("100 MB more would answer 6.0 % of the reads more.", 0.7, 0.8, 0.9, 0.96, 0.99)]
    [InlineData("300 MB more would answer 1.0 % of the reads more.", 0.7, 0.8, 0.9, 0.904, 0.91)]
    [InlineData("Another limit would change little.", 0.7, 0.8, 0.9, 0.903, 0.904)]
    [InlineData("75 MB less would answer 0.0 % of the reads fewer.", 0.91, 0.9, 0.9, 0.9, 0.9)]
    public void Of_ACurve_NamesTheNearestLimitThatIsWorthIt(string sentence, params double[] ratios)
    {
        double[] scales = [0.25, 0.5, 1, 2, 4];
        var points = scales.Select((scale, i) => new HitRatioPoint(scale, (long)(scale * (100 << 20)), ratios[i]));

        Assert.Equal(sentence, CurveAdvice.Of(CurveOf([.. points], isKnown: true)));
    }

    [Fact]
    public void Of_ACurveThatIsNotKnown_SaysNothing()
    {
        Assert.Equal("", CurveAdvice.Of(null));
        Assert.Equal("", CurveAdvice.Of(CurveOf([new HitRatioPoint(1, 100, 0.5)], isKnown: false)));
    }

    private static HitRatioCurve CurveOf(HitRatioPoint[] points, bool isKnown) =>
        new() { Points = points, IsKnown = isKnown, SampledKeys = 1, KeysPerSample = 1 };
}
