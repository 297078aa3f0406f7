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

    /// <summary>Looks at the time since the last look.</summary>
    /// <param name="interval">How long that should be: what it is longer, the thread pool was late.</param>
    public void Look(TimeSpan interval)
    {
        if (!_lock.TryEnter())
            return; // The one before is late.
        try
        {
            NotePause();
            var threshold = TimeSpan.FromMilliseconds(server.Settings.LatencyThresholdMs);
            bool isOn = threshold > TimeSpan.Zero;
            long now = server.TimeProvider.GetTimestamp();
            var late = server.TimeProvider.GetElapsedTime(_lookedAt, now) - interval;
            _lookedAt = now;
            var round = takeLongestRound?.Invoke(isOn) ?? TimeSpan.Zero;
            var wait = server.Store.TakeLongestWaitForMemory();
            if (!isOn)
                return;
            Note(LatencyCauses.ThreadPool, late, threshold);
            Note(LatencyCauses.Loop, round, threshold);
            Note(LatencyCauses.Eviction, wait, threshold);
        }
        finally
        {
            _lock.Exit();
        }
    }

    // What the runtime paused all threads for since the last look, about a second ago.
    private void NotePause()
    {
        var paused = GC.GetTotalPauseDuration();
        var pause = paused - _paused;
        _paused = paused;
        if (pause.TotalMilliseconds >= PauseMsMin)
        {
            server.NoteEvent(
                EventKinds.Pause, $"the runtime paused all threads for {(long)pause.TotalMilliseconds} ms in a second");
        }

        if (server.Settings.LatencyThresholdMs is > 0 and var threshold)
            Note(LatencyCauses.CollectorPause, pause, TimeSpan.FromMilliseconds(threshold));
    }

    private void Note(string cause, TimeSpan time, TimeSpan threshold)
    {
        if (time >= threshold)
            server.LatencyEvents.Add(cause, server.UnixSeconds, (long)time.TotalMilliseconds);
    }
}
