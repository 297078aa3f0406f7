namespace Cache.Core;

/// <summary>An end of a range of scores.</summary>
/// <param name="Score">The score.</param>
/// <param name="IsExclusive">Whether the range does not have that score itself.</param>
public readonly record struct ScoreBound(double Score, bool IsExclusive)
{
    /// <summary>Below all scores.</summary>
    public static ScoreBound Lowest => new(double.NegativeInfinity, IsExclusive: false);

    /// <summary>Above all scores.</summary>
    public static ScoreBound Highest => new(double.PositiveInfinity, IsExclusive: false);

    /// <summary>A range's end that has the score itself.</summary>
    public static implicit operator ScoreBound(double score) => new(score, IsExclusive: false);

    /// <inheritdoc cref="op_Implicit"/>
    public static ScoreBound FromDouble(double score) => score;
}
