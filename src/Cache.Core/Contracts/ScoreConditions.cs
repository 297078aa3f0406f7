namespace Cache.Core;

/// <summary>Conditions of a write of a member's score. All must hold.</summary>
[Flags]
public enum ScoreConditions
{
    /// <summary>No condition.</summary>
    None = 0,

    /// <summary>The member is absent.</summary>
    IfAbsent = 1,

    /// <summary>The member is there.</summary>
    IfPresent = 2,

    /// <summary>The member is absent, or its new score is greater.</summary>
    IfGreater = 4,

    /// <summary>The member is absent, or its new score is less.</summary>
    IfLess = 8,
}
