namespace Cache.Client;

/// <summary>
/// How long to wait before the next attempt to connect: doubled each time, and random in its upper half.
/// </summary>
/// <remarks>Random, so that the clients of a server that comes back do not all come at once.</remarks>
internal struct ReconnectDelay(Random random)
{
    private const double FirstMs = 50;

    // Caching is to go on within two seconds after the server is back.
    private const double LongestMs = 1000;

    private readonly Random _random = random;
    private int _attempts;

    public TimeSpan Next()
    {
        double whole = Math.Min(LongestMs, FirstMs * Math.Pow(2, Math.Min(_attempts++, 10)));
        return TimeSpan.FromMilliseconds(whole * (0.5 + _random.NextDouble() / 2));
    }

    public void Reset() => _attempts = 0;
}
