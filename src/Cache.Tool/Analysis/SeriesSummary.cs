namespace Cache.Tool.Analysis;

/// <summary>A series of the last ten minutes.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Values">Its values, the oldest first; at least one.</param>
internal sealed record SeriesSummary(string Name, double[] Values)
{
    public double Mean => Values.Average();

    public double Max => Values.Max();

    public double Last => Values[^1];

    /// <summary>In a line.</summary>
    public string Text => FormattableString.Invariant(
        $"{Name}: {Shown(Last)} at last, {Shown(Mean)} on average, {Shown(Max)} at most in {Values.Length} s");

    private static string Shown(double value) =>
        value.ToString(Math.Abs(value) < 100 ? "0.##" : "#,0", System.Globalization.CultureInfo.InvariantCulture);
}
