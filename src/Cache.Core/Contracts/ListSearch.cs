namespace Cache.Core;

/// <summary>Which of the equal elements of a list are looked for; by default the leftmost one.</summary>
public readonly record struct ListSearch()
{
    /// <summary>
    /// The first one that counts: 1 for the leftmost one, 2 for the second, −1 for the rightmost one and then
    /// leftwards. Not 0.
    /// </summary>
    public long Rank { get; init; } = 1;

    /// <summary>The most that are looked for; 0: all.</summary>
    public long Count { get; init; } = 1;

    /// <summary>The most elements that are compared; 0: all.</summary>
    public long ComparedMax { get; init; }
}
