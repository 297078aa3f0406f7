namespace Cache.Server.Statistics;

/// <summary>How often a command was called, refused and failed, and how long its calls took.</summary>
internal struct CommandCount
{
    public long Calls;

    /// <summary>Calls that replied an error.</summary>
    public long Failures;

    /// <summary>Requests that were refused before the call: wrong arity, no rights.</summary>
    public long Rejections;

    /// <summary>The duration of all calls, in ticks of the server's clock.</summary>
    public long Ticks;

    public void Add(in CommandCount other)
    {
        Calls += other.Calls;
        Failures += other.Failures;
        Rejections += other.Rejections;
        Ticks += other.Ticks;
    }

    /// <summary>The difference to an earlier state.</summary>
    public readonly CommandCount Since(in CommandCount earlier) => new()
    {
        Calls = Calls - earlier.Calls,
        Failures = Failures - earlier.Failures,
        Rejections = Rejections - earlier.Rejections,
        Ticks = Ticks - earlier.Ticks,
    };
}
