namespace Cache.Core;

/// <summary>The score of a member that several sorted sets have.</summary>
public enum ScoreAggregate
{
    /// <summary>The sum of its scores; 0 if that is no number.</summary>
    Sum,

    /// <summary>Its least score.</summary>
    Min,

    /// <summary>Its greatest score.</summary>
    Max,
}
