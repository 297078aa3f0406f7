using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Connections;

/// <summary>Looks once a second at what else than commands made clients wait, and notes what took long.</summary>
/// <param name="server">The server.</param>
/// <param name="takeLongestRound">What its loops say of their rounds; null if it has none.</param>
internal sealed class LatencyWatch(ServerState server, Func<bool, TimeSpan>? takeLongestRound)
{
    // Pauses of this length are events: shorter ones are usual.
    private const long PauseMsMin = 20;

    private readonly Lock _lock = new();
    private TimeSpan _paused = GC.GetTotalPauseDuration();
    private long _lookedAt = server.TimeProvider.GetTimestamp();
    private bool _wasOn = server.Settings.LatencyThresholdMs > 0;

    /// <summary>Looks at the time since the last look.</summary>
    /// <param name="interval">How long that should be: what it is longer, the thread pool was late.</param>
    public void Look(TimeSpan interval)
    {
        if (!_lock.TryEnter())
            return; // The one before is late.
        try
        {
            long thresholdMs = server.Settings.LatencyThresholdMs;
            bool isOn = thresholdMs > 0;
            long now = server.TimeProvider.GetTimestamp();
            var late = server.TimeProvider.GetElapsedTime(_lookedAt, now) - interval;
            _lookedAt = now;
            var round = takeLongestRound?.Invoke(isOn) ?? TimeSpan.Zero;
            var pause = TakePause();
            bool wasOn = _wasOn;
            _wasOn = isOn;
            if (!isOn)
                return; // The store's longest wait is left to who uses the store in process.
            var wait = server.TakeLongestWaitForMemory();
            if (!wasOn)
                return; // What was before is no event.
            Note(LatencyCauses.ThreadPool, late, thresholdMs);
            Note(LatencyCauses.Loop, round, thresholdMs);
            Note(LatencyCauses.Eviction, wait, thresholdMs);
            Note(LatencyCauses.CollectorPause, pause, thresholdMs);
        }
        finally
        {
            _lock.Exit();
        }
    }

    // What the runtime paused all threads for since the last look, about a second ago.
    private TimeSpan TakePause()
    {
        var paused = GC.GetTotalPauseDuration();
        var pause = paused - _paused;
        _paused = paused;
        long milliseconds = (long)pause.TotalMilliseconds;
        if (milliseconds >= PauseMsMin)
            server.NoteEvent(EventKinds.Pause, $"the runtime paused all threads for {milliseconds} ms in a second");
        return pause;
    }

    private void Note(string cause, TimeSpan time, long thresholdMs)
    {
        long milliseconds = (long)time.TotalMilliseconds;
        if (milliseconds >= thresholdMs)
            server.LatencyEvents.Add(cause, server.UnixSeconds, milliseconds);
    }
}
