using System.Globalization;
using Cache.Core;

namespace Cache.Server.Commands.Administration;

/// <summary>What the curve of hit ratios means for the limit, in a sentence.</summary>
internal static class CurveAdvice
{
    /// <summary>Decimal places of a ratio that are not noise.</summary>
    public const int Digits = 4;

    // A change of the limit is worth a sentence from these on: half a point of what is read.
    private const double GainMin = 0.005;
    private const double LossMax = 0.005;

    private const double Percent = 100;
    private const double BytesPerMegabyte = 1 << 20;

    /// <summary>Empty while the curve is not known.</summary>
    public static string Of(HitRatioCurve? curve)
    {
        if (curve is not { IsKnown: true })
            return "";
        var present = curve.Points[0];
        foreach (var point in curve.Points)
        {
            if (point.Scale == 1)
                present = point;
        }

        foreach (var point in curve.Points)
        {
            double change = point.HitRatio - present.HitRatio;
            if (point.Scale < 1 && change >= -LossMax)
                return Sentence(present, point, "less would answer", "fewer", -change);
            if (point.Scale > 1 && change >= GainMin)
                return Sentence(present, point, "more would answer", "more", change);
        }

        return "Another limit would change little.";
    }

    private static string Sentence(
        in HitRatioPoint present, in HitRatioPoint point, string verb, string word, double change)
    {
        double megabytes = Math.Abs(point.MemoryLimitBytes - present.MemoryLimitBytes) / BytesPerMegabyte;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{megabytes:F0} MB {verb} {Percent * Math.Max(0, change):F1} % of the reads {word}.");
    }
}
