namespace Cache.Core;

/// <summary>Which of the oldest entries of a stream go.</summary>
public readonly record struct StreamTrim
{
    /// <summary>So many entries stay; null: <see cref="MinId"/> says.</summary>
    public long? MaxLength { get; init; }

    /// <summary>Entries with lesser ids go.</summary>
    public StreamId MinId { get; init; }

    /// <summary>
    /// Whether some more may stay: entries that are stored together go together, which takes less time.
    /// </summary>
    public bool IsApproximate { get; init; }

    /// <summary>The most entries that go; 0: all.</summary>
    public long Limit { get; init; }
}
