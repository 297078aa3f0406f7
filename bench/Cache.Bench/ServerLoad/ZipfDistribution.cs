namespace Cache.Bench.ServerLoad;

/// <summary>Ranks by Zipf's law: rank k comes with a probability in proportion to 1 / (k + 1)^theta.</summary>
/// <remarks>
/// Rejection-inversion (Hörmann and Derflinger, 1996): exact for every theta above 0, no table, 1.1 tries on average.
/// </remarks>
internal sealed class ZipfDistribution
{
    // Below this the quotients of H and its inverse are taken from their series: the difference from 0 would cancel.
    private const double Tiny = 1e-8;

    private readonly long _count;
    private readonly double _theta;
    private readonly double _integralOfFirst;
    private readonly double _integralOfAll;
    private readonly double _acceptAtOnce;

    public ZipfDistribution(long count, double theta)
    {
        _count = count;
        _theta = theta;
        _integralOfFirst = Integral(1.5) - 1;
        _integralOfAll = Integral(count + 0.5);
        _acceptAtOnce = 2 - InverseOfIntegral(Integral(2.5) - Density(2));
    }

    /// <summary>A rank from 0, the most frequent, up to the count less one.</summary>
    public long Next(ref SplitMix random)
    {
        while (true)
        {
            double u = _integralOfAll + random.NextDouble() * (_integralOfFirst - _integralOfAll);
            double x = InverseOfIntegral(u);
            long rank = Math.Clamp((long)(x + 0.5), 1, _count);
            if (rank - x <= _acceptAtOnce || u >= Integral(rank + 0.5) - Density(rank))
                return rank - 1;
        }
    }

    private double Density(double x) => Math.Exp(-_theta * Math.Log(x));

    private double Integral(double x)
    {
        double log = Math.Log(x);
        return ExpLessOneOver((1 - _theta) * log) * log;
    }

    private double InverseOfIntegral(double x)
    {
        double t = Math.Max(x * (1 - _theta), -1);
        return Math.Exp(LogOfOnePlusOver(t) * x);
    }

    // (e^x - 1) / x
    private static double ExpLessOneOver(double x) => Math.Abs(x) > Tiny ? (Math.Exp(x) - 1) / x : 1 + x / 2;

    // ln(1 + x) / x
    private static double LogOfOnePlusOver(double x) => Math.Abs(x) > Tiny ? Math.Log(1 + x) / x : 1 - x / 2;
}
