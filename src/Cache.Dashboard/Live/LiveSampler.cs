using System.Buffers;
using System.Text.Json;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Metrics;
using Cache.Server.Statistics;

namespace Cache.Dashboard.Live;

/// <summary>Takes a sample each second, keeps ten minutes of them, and tells those who watch.</summary>
/// <remarks>
/// The text of a sample is made once, whatever the number of viewers. It samples from the mapping of the dashboard to
/// the end of the application, so that a page shows the past when it is opened. Thread-safe.
/// </remarks>
internal sealed class LiveSampler : IDisposable
{
    private const double Percent = 100;
    private const double MedianPercentage = 50;
    private const double HighPercentage = 99;
    private const double NanosecondsPerMicrosecond = 1000;

    private static readonly TimeSpan _interval = TimeSpan.FromSeconds(1);

    private readonly ServerState _server;
    private readonly ITimer _timer;
    private readonly Lock _sampling = new();
    private readonly CancellationTokenSource _stopped = new();

    // Guarded by the lock.
    private readonly double[] _sample = new double[LiveHistory.Names.Count];
    private readonly long[] _latencies = new long[LatencyHistogram.ClassCount];
    private readonly long[] _earlierLatencies = new long[LatencyHistogram.ClassCount];
    private LiveCounts _earlier;

    // Replaced by each sample, and completed with it.
    private volatile TaskCompletionSource<byte[]> _next = CreateNext();

    public LiveSampler(ServerState server)
    {
        _server = server;
        _earlier = LiveCounts.Of(server);
        server.Statistics.AddAllLatenciesTo(_earlierLatencies);
        _timer = server.TimeProvider.CreateTimer(_ => Sample(), null, _interval, _interval);
    }

    public LiveHistory History { get; } = new();

    /// <summary>Cancelled when the application stops.</summary>
    public CancellationToken Stopped => _stopped.Token;

    /// <summary>The text of the next sample, a JSON object in UTF-8.</summary>
    public Task<byte[]> NextAsync() => _next.Task;

    /// <summary>Ends it; those who watch see that.</summary>
    public void Dispose()
    {
        _timer.Dispose();
        _stopped.Cancel();
    }

    /// <summary>What serves at present, in a word.</summary>
    public static string StateOf(ServerState server) =>
        server.IsStoreDisposed ? "stopped"
        : server.IsLoading ? "loading"
        : server.IsServing ? "ready" : "refusing";

    // A timer that comes late may overlap the next one, which then takes both.
    private void Sample()
    {
        if (_server.IsStoreDisposed || !_sampling.TryEnter())
            return;
        try
        {
            Take();
            long seconds = _server.UnixSeconds;
            History.Add(seconds, _sample);
            Interlocked.Exchange(ref _next, CreateNext()).SetResult(ToText(seconds));
        }
        catch (ObjectDisposedException)
        {
            // The store ended in between.
        }
        finally
        {
            _sampling.Exit();
        }
    }

    private void Take()
    {
        var counts = LiveCounts.Of(_server);
        double seconds = Math.Max(
            1e-3, _server.TimeProvider.GetElapsedTime(_earlier.At, counts.At).TotalSeconds);
        var store = counts.Store;
        double hits = Rate(store.Hits, _earlier.Store.Hits);
        double misses = Rate(store.Misses, _earlier.Store.Misses);
        Set(LiveSeries.Operations, Rate(counts.Traffic.Commands, _earlier.Traffic.Commands));
        Set(LiveSeries.Hits, hits);
        Set(LiveSeries.Misses, misses);
        Set(LiveSeries.HitRatio, hits + misses > 0 ? Percent * hits / (hits + misses) : double.NaN);
        Set(LiveSeries.Evictions, Rate(store.Evictions, _earlier.Store.Evictions));
        Set(LiveSeries.Expirations, Rate(store.Expirations, _earlier.Store.Expirations));
        Set(LiveSeries.RefusedWrites, Rate(store.RefusedWrites, _earlier.Store.RefusedWrites));
        Set(LiveSeries.InputBytes, Rate(counts.Traffic.InputBytes, _earlier.Traffic.InputBytes));
        Set(LiveSeries.OutputBytes, Rate(counts.Traffic.OutputBytes, _earlier.Traffic.OutputBytes));
        Set(LiveSeries.Errors, Rate(counts.Errors, _earlier.Errors));
        Set(LiveSeries.RejectedClients, Rate(counts.RejectedClients, _earlier.RejectedClients));
        double processor = (counts.ProcessorTime - _earlier.ProcessorTime).TotalSeconds;
        Set(LiveSeries.ProcessorPercent, Percent * processor / seconds);
        TakeLevels(store);
        TakeLatencies(counts.At);
        _earlier = counts;

        // CONFIG RESETSTAT begins at 0 again.
        double Rate(long now, long before) => Math.Max(0, now - before) / seconds;
    }

    private void TakeLevels(Core.CacheStatistics store)
    {
        Set(LiveSeries.UsedBytes, store.MemoryBytes);
        Set(LiveSeries.LimitBytes, store.MemoryLimitBytes);
        Set(LiveSeries.ResidentBytes, Environment.WorkingSet);
        Set(LiveSeries.HeapBytes, RuntimeMetrics.HeapCommittedBytes);
        Set(LiveSeries.ClientBytes, _server.ClientMemory.Bytes);
        Set(LiveSeries.Clients, _server.Clients.Count);
        Set(LiveSeries.Keys, store.Count);
    }

    private void TakeLatencies(long now)
    {
        Array.Clear(_latencies);
        _server.Statistics.AddAllLatenciesTo(_latencies);
        long[] since = new long[_latencies.Length];
        for (int i = 0; i < since.Length; i++)
            since[i] = _latencies[i] - _earlierLatencies[i];
        _latencies.CopyTo(_earlierLatencies, 0);
        var counts = new LatencyCounts(since);
        bool isIdle = counts.Total == 0;
        Set(LiveSeries.MedianMicroseconds, isIdle ? double.NaN : Microseconds(MedianPercentage));
        Set(LiveSeries.P99Microseconds, isIdle ? double.NaN : Microseconds(HighPercentage));
        Set(LiveSeries.LongestMicroseconds, isIdle ? double.NaN : _server.Statistics.LongestCall(now, seconds: 1));

        double Microseconds(double percentage) => counts.PercentileOf(percentage) / NanosecondsPerMicrosecond;
    }

    private void Set(LiveSeries series, double value) => _sample[(int)series] = value;

    private byte[] ToText(long seconds)
    {
        var text = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(text))
        {
            json.WriteStartObject();
            json.WriteNumber("t", seconds);
            json.WriteString("state", StateOf(_server));
            json.WriteNumber("uptime", (_server.NowMs - _server.StartedAtMs) / 1000);
            for (int i = 0; i < _sample.Length; i++)
            {
                json.WritePropertyName(LiveHistory.Names[i]);
                LiveHistory.WriteValue(json, _sample[i]);
            }

            json.WriteEndObject();
        }

        return text.WrittenSpan.ToArray();
    }

    // Those who watch must not continue on the thread of the timer.
    private static TaskCompletionSource<byte[]> CreateNext() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
