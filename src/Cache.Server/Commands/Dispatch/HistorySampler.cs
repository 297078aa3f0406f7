using System.Diagnostics;
using Cache.Server.Clients;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Takes the figures of the server's history once a second, and notes the events that they show.</summary>
internal sealed class HistorySampler
{
    private const double Percent = 100;
    private const double NanosecondsPerMicrosecond = 1000;

    // Evictions have ended after so many seconds without one.
    private const int QuietSeconds = 60;

    private readonly ServerState _server;
    private readonly MetricHistory _history;
    private readonly Lock _lock = new();
    private readonly double[] _totals = new double[HistorySeries.All.Count];
    private readonly double[] _values = new double[HistorySeries.All.Count];
    private long[] _latencies = new long[LatencyHistogram.ClassCount];
    private long _sampledAt;
    private Episode _evictions = new();
    private Episode _refusals = new();
    private int _next;
    private bool _filesFail;

    public HistorySampler(ServerState server)
    {
        _server = server;
        _history = server.History; // Takes its memory now, not with the first sample.
    }

    /// <summary>Takes a sample. Called by the sweep, about once a second; the first one only begins.</summary>
    public void Sample()
    {
        if (!_lock.TryEnter())
            return; // The one before is late.
        try
        {
            long now = _server.TimeProvider.GetTimestamp();
            double seconds = _sampledAt == 0 ? 0 : _server.TimeProvider.GetElapsedTime(_sampledAt, now).TotalSeconds;
            if (_sampledAt != 0 && seconds <= 0)
                return;
            bool isFirst = _sampledAt == 0;
            _sampledAt = now;
            _next = 0;
            AddTraffic(seconds);
            AddEvents(seconds);
            AddRuntime(seconds);
            AddLatencies(now);
            AddGauges();
            Debug.Assert(_next == HistorySeries.All.Count);
            if (isFirst)
                return;
            NoteClock();
            _history.Add(_server.UnixSeconds, _values);
            NoteEvictions();
            NoteFiles();
        }
        finally
        {
            _lock.Exit();
        }
    }

    private void AddTraffic(double seconds)
    {
        var traffic = _server.Statistics.SumTraffic();
        AddRate(traffic.Commands, seconds);
        AddRate(traffic.InputBytes, seconds);
        AddRate(traffic.OutputBytes, seconds);
        AddRate(traffic.Reads, seconds);
        AddRate(traffic.Writes, seconds);
        var store = _server.Store.GetStatistics();
        AddRate(store.Hits, seconds);
        AddRate(store.Misses, seconds);
        AddRate(store.Evictions, seconds);
        AddRate(store.Expirations, seconds);
        AddRate(store.RefusedWrites, seconds);
    }

    private void AddEvents(double seconds)
    {
        AddRate(_server.Statistics.GetErrors().Total, seconds);
        AddRate(_server.Clients.AcceptedCount, seconds);
        AddRate(_server.Clients.RejectedCount, seconds);
        AddRate(_server.Limits.Total, seconds);
        AddRate(_server.Limits[ConnectionLimit.AuthenticationFailure], seconds);
        AddRate(_server.SlowLog.Total, seconds);
        AddRate(_server.LargeRequests.Total, seconds);
        AddRate(_server.LargeReplies.Total, seconds);
    }

    private void AddRuntime(double seconds)
    {
        var usage = Environment.CpuUsage;
        AddRate(usage.UserTime.TotalSeconds * Percent, seconds);
        AddRate(usage.PrivilegedTime.TotalSeconds * Percent, seconds);
        AddRate(GC.GetTotalPauseDuration().TotalMilliseconds, seconds);
        AddRate(GC.CollectionCount(0), seconds);
        AddRate(GC.CollectionCount(1), seconds);
        AddRate(GC.CollectionCount(2), seconds);
        AddRate(GC.GetTotalAllocatedBytes(), seconds);
    }

    private void AddLatencies(long now)
    {
        double hits = _values[HistorySeries.IndexOf("hits_per_second")];
        double reads = hits + _values[HistorySeries.IndexOf("misses_per_second")];
        Add(reads > 0 ? Percent * hits / reads : 0);
        long[] sums = new long[LatencyHistogram.ClassCount];
        _server.Statistics.AddAllLatenciesTo(sums);
        long[] change = new long[sums.Length];
        for (int i = 0; i < sums.Length; i++)
            change[i] = Math.Max(0, sums[i] - _latencies[i]); // Less after a reset.
        _latencies = sums;
        var latencies = new LatencyCounts(change);
        Add(latencies.PercentileOf(50) / NanosecondsPerMicrosecond);
        Add(latencies.PercentileOf(99) / NanosecondsPerMicrosecond);
        Add(latencies.PercentileOf(99.9) / NanosecondsPerMicrosecond);
        Add(_server.Statistics.LongestCall(now, seconds: 1));
    }

    private void AddGauges()
    {
        int blocked = 0;
        foreach (var client in _server.Clients.ToList())
            blocked += client.IsBlocked ? 1 : 0;
        var store = _server.Store.GetStatistics();
        Add(_server.Clients.Count);
        Add(blocked);
        Add(_server.ClientMemory.Bytes);
        Add(store.Count);
        Add(store.ExpiringCount);
        Add(store.CompressedCount);
        Add(store.MemoryBytes);
        Add(store.MemoryLimitBytes);
        Add(Environment.WorkingSet);
        Add(GC.GetGCMemoryInfo(GCKind.Any).HeapSizeBytes);
        Add(ThreadPool.ThreadCount);
        Add(ThreadPool.PendingWorkItemCount);
    }

    // After a reset a counter is less than before: the change is what it has now.
    private void AddRate(double total, double seconds)
    {
        Debug.Assert(HistorySeries.All[_next].IsRate);
        double change = total >= _totals[_next] ? total - _totals[_next] : total;
        _totals[_next] = total;
        _values[_next++] = seconds > 0 ? change / seconds : 0;
    }

    private void Add(double value)
    {
        Debug.Assert(!HistorySeries.All[_next].IsRate);
        _values[_next++] = value;
    }

    private void NoteClock()
    {
        double step = _server.ClockSteps.Note(_server.NowMs, _server.UnixMicroseconds / 1000);
        if (step != 0)
        {
            _history.Shift((long)Math.Round(step));
            _server.NoteEvent(EventKinds.Clock, FormattableString.Invariant(
                $"the clock was set {(step < 0 ? "back" : "forward")} by {Math.Abs(step):F0} s"));
        }
    }

    // The log has the reason, which may name a path.
    private void NoteFiles()
    {
        bool fails = _server.Durability?.Failure is not null;
        if (fails == _filesFail)
            return;
        _filesFail = fails;
        _server.NoteEvent(EventKinds.Files, fails
            ? "the files cannot be written: changes are not kept"
            : "the files can be written again");
    }

    private void NoteEvictions()
    {
        if (_evictions.Note(_values[HistorySeries.IndexOf("evictions_per_second")] > 0) is { } evicts)
        {
            _server.NoteEvent(EventKinds.Eviction, evicts
                ? "evictions began: the store has reached maxmemory"
                : "evictions ended: none for a minute");
        }

        if (_refusals.Note(_values[HistorySeries.IndexOf("refused_writes_per_second")] > 0) is { } refuses)
        {
            _server.NoteEvent(EventKinds.OutOfMemory, refuses
                ? "writes are refused: there is no room, and nothing may be evicted"
                : "writes are accepted again: none was refused for a minute");
        }
    }

    // Something that happens in some seconds, and is over after a minute without it.
    private struct Episode()
    {
        private int _quietSeconds = QuietSeconds;

        /// <returns>Whether it has begun, or has ended, in this second; null: neither.</returns>
        public bool? Note(bool happens)
        {
            bool begins = happens && _quietSeconds >= QuietSeconds;
            _quietSeconds = happens ? 0 : Math.Min(_quietSeconds + 1, QuietSeconds + 1);
            return begins ? true : _quietSeconds == QuietSeconds ? false : null;
        }
    }
}
