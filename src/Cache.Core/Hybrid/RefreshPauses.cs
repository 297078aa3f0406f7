namespace Cache.Core.Hybrid;

/// <summary>Keys whose renewal failed lately, and when it may be tried again.</summary>
/// <remarks>
/// A table of fixed size without locks: of two keys with the same place the later one takes it, and the other is tried
/// again too early. A read gets one object, so its key and time belong together.
/// </remarks>
internal sealed class RefreshPauses
{
    // A source that is down fails the renewal of many keys at once: as many as there are ready objects by default.
    private const int Places = 4096;

    private readonly Pause?[] _pauses = new Pause?[Places];

    public void Add(string key, long untilMs) =>
        Volatile.Write(ref _pauses[PlaceOf(key)], new Pause(key, untilMs));

    public bool IsPaused(string key, long nowMs) =>
        Volatile.Read(ref _pauses[PlaceOf(key)]) is { } pause && pause.UntilMs > nowMs && pause.Key == key;

    private static int PlaceOf(string key) => key.GetHashCode(StringComparison.Ordinal) & (Places - 1);

    private sealed record Pause(string Key, long UntilMs);
}
