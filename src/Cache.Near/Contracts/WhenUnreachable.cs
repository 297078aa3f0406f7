namespace Cache.Near;

/// <summary>What a read gets while the server that has the key cannot be asked, and nothing here counts.</summary>
public readonly record struct WhenUnreachable
{
    private readonly bool _throws;

    private WhenUnreachable(bool throws, TimeSpan staleFor)
    {
        _throws = throws;
        StaleFor = staleFor;
    }

    /// <summary>A miss: the caller makes the value. The default.</summary>
    public static WhenUnreachable Miss { get; }

    /// <summary>An exception.</summary>
    public static WhenUnreachable Throw { get; } = new(true, TimeSpan.Zero);

    /// <summary>
    /// What was kept here, until this time has passed since the staleness bound was last met, and never beyond
    /// <see cref="NearCacheOptions.MaximumAge"/>; then a miss.
    /// </summary>
    public static WhenUnreachable Stale(TimeSpan duration) => new(false, duration);

    internal bool Throws => _throws;

    internal TimeSpan StaleFor { get; }

    /// <summary>"Miss", "Throw", or "Stale" with its time.</summary>
    public override string ToString() => _throws ? "Throw" : StaleFor == TimeSpan.Zero ? "Miss" : $"Stale({StaleFor})";
}
