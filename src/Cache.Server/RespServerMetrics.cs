using System.Diagnostics.Metrics;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Metrics;

namespace Cache.Server;

/// <summary>The counters of a server as instruments of a <see cref="Meter"/>, for OpenTelemetry and others.</summary>
/// <remarks>
/// The instruments are observable: a collector gets a snapshot of counters that the server keeps in any case; without a
/// collector there is no cost. <c>AddCacheServer</c> registers one for the server of the container; for another server
/// make one, and dispose it with the server. The counters begin at 0 again by CONFIG RESETSTAT.
/// <list type="table">
/// <item><term>cache.server.commands</term>
/// <description>calls; the tag <c>db.operation.name</c> is the command</description></item>
/// <item><term>cache.server.command.failures, .rejections, .time</term>
/// <description>the same for calls that replied an error, requests that were refused before the call, and seconds of
/// all calls</description></item>
/// <item><term>cache.server.command.duration</term>
/// <description>a histogram of one of 64 calls in seconds, with the same tag; it costs a scan of the counters per
/// second while a collector listens, and nothing else</description></item>
/// <item><term>cache.server.errors</term>
/// <description>error replies; the tag <c>db.response.status_code</c> is their first word</description></item>
/// <item><term>cache.server.clients, .clients.accepted, .clients.rejected, .clients.memory</term>
/// <description>connected clients, connections since the start, those above the limit, bytes held for
/// clients</description></item>
/// <item><term>cache.server.io</term>
/// <description>bytes; the tag <c>network.io.direction</c> is <c>receive</c> or <c>transmit</c></description></item>
/// </list>
/// The store's figures are those of the meter of <c>CacheMetrics</c>. Thread-safe.
/// </remarks>
public sealed class RespServerMetrics : IDisposable
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "Cache.Server";

    private const string CommandTag = "db.operation.name";
    private const string ErrorTag = "db.response.status_code";
    private const string DirectionTag = "network.io.direction";

    private static readonly TimeSpan _sampling = TimeSpan.FromSeconds(1);

    // In seconds: the middle of what commands take, from a microsecond to ten seconds.
    private static readonly double[] _bounds =
    [
        1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1, 2,
        5, 10,
    ];

    private readonly Meter _meter;
    private readonly ServerState _server;
    private readonly Histogram<double> _duration;
    private readonly DurationSampler _sampler;
    private readonly Lock _sampled = new();
    private readonly ITimer _timer;

    // Guarded by the lock.
    private bool _isSampling;

    // A factory's meter is not this object's to end: it goes on asking.
    private volatile bool _isDisposed;

    /// <summary>Creates a meter that every collector of the process sees.</summary>
    /// <param name="server">The server that is observed until this object is disposed.</param>
    /// <exception cref="ArgumentNullException">The server is null.</exception>
    public RespServerMetrics(RespServer server)
        : this(server ?? throw new ArgumentNullException(nameof(server)), new Meter(MeterName))
    {
    }

    /// <summary>Creates a meter with a factory, so that a collector can select the meters of one container.</summary>
    /// <param name="server">The server that is observed until this object is disposed.</param>
    /// <param name="meterFactory">Makes the meter.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public RespServerMetrics(RespServer server, IMeterFactory meterFactory)
        : this(
            server ?? throw new ArgumentNullException(nameof(server)),
            (meterFactory ?? throw new ArgumentNullException(nameof(meterFactory))).Create(MeterName))
    {
    }

    private RespServerMetrics(RespServer server, Meter meter)
    {
        _server = server.State;
        _meter = meter;
        CreateCommandInstruments();
        CreateClientInstruments();
        _duration = meter.CreateHistogram(
            "cache.server.command.duration", "s", "The durations of one of 64 calls.", tags: null,
            new InstrumentAdvice<double> { HistogramBucketBoundaries = _bounds });
        _sampler = new DurationSampler(_server);
        _timer = _server.TimeProvider.CreateTimer(_ => Sample(), null, _sampling, _sampling);
    }

    /// <summary>Whether the meter is this object's: all servers of a process have meters of one name.</summary>
    internal bool Owns(Meter meter) => meter == _meter;

    /// <summary>Ends the observation.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _timer.Dispose();
        _meter.Dispose();
    }

    private void CreateCommandInstruments()
    {
        _meter.CreateObservableCounter(
            "cache.server.commands", () => ObserveCommands(static (in Statistics.CommandCount one) => one.Calls),
            "{command}", "Calls of a command.");
        _meter.CreateObservableCounter(
            "cache.server.command.failures",
            () => ObserveCommands(static (in Statistics.CommandCount one) => one.Failures),
            "{command}", "Calls that replied an error.");
        _meter.CreateObservableCounter(
            "cache.server.command.rejections",
            () => ObserveCommands(static (in Statistics.CommandCount one) => one.Rejections),
            "{command}", "Requests that were refused before the call.");
        _meter.CreateObservableCounter("cache.server.command.time", ObserveTimes, "s", "The time of all calls.");
        _meter.CreateObservableCounter(
            "cache.server.errors", ObserveErrors, "{error}", "Error replies by their first word.");
    }

    private void CreateClientInstruments()
    {
        _meter.CreateObservableUpDownCounter(
            "cache.server.clients", () => Observe(_server.Clients.Count), "{client}", "Connected clients.");
        _meter.CreateObservableCounter(
            "cache.server.clients.accepted", () => Observe(_server.Clients.AcceptedCount), "{client}",
            "Connections that were accepted.");
        _meter.CreateObservableCounter(
            "cache.server.clients.rejected", () => Observe(_server.Clients.RejectedCount), "{client}",
            "Connections above the limit.");
        _meter.CreateObservableGauge(
            "cache.server.clients.memory", () => Observe(_server.ClientMemory.Bytes), "By", "Bytes held for clients.");
        _meter.CreateObservableCounter(
            "cache.server.io", ObserveTraffic, "By", "Bytes of requests and replies.");
    }

    private Measurement<long>[] Observe(long value) => _isDisposed ? [] : [new(value)];

    private Measurement<long>[] ObserveTraffic()
    {
        if (_isDisposed)
            return [];
        var traffic = _server.Statistics.SumTraffic();
        return
        [
            new(traffic.InputBytes, new KeyValuePair<string, object?>(DirectionTag, "receive")),
            new(traffic.OutputBytes, new KeyValuePair<string, object?>(DirectionTag, "transmit")),
        ];
    }

    private delegate long Figure(in Statistics.CommandCount count);

    private List<Measurement<long>> ObserveCommands(Figure figure)
    {
        if (_isDisposed)
            return [];
        var counts = _server.Statistics.SumCommands();
        var measurements = new List<Measurement<long>>();
        foreach (var command in _server.Commands.All)
        {
            ref readonly var count = ref counts[command.Index];
            if (count.Calls + count.Rejections > 0)
                measurements.Add(new(figure(count), new KeyValuePair<string, object?>(CommandTag, command.Name)));
        }

        return measurements;
    }

    private List<Measurement<double>> ObserveTimes()
    {
        if (_isDisposed)
            return [];
        var counts = _server.Statistics.SumCommands();
        double ticksPerSecond = _server.TimeProvider.TimestampFrequency;
        var measurements = new List<Measurement<double>>();
        foreach (var command in _server.Commands.All)
        {
            ref readonly var count = ref counts[command.Index];
            if (count.Calls > 0)
            {
                measurements.Add(
                    new(count.Ticks / ticksPerSecond, new KeyValuePair<string, object?>(CommandTag, command.Name)));
            }
        }

        return measurements;
    }

    private List<Measurement<long>> ObserveErrors()
    {
        if (_isDisposed)
            return [];
        var measurements = new List<Measurement<long>>();
        foreach (var (code, count) in _server.Statistics.GetErrors().ByCode)
            measurements.Add(new(count, new KeyValuePair<string, object?>(ErrorTag, code)));
        return measurements;
    }

    // Timers may overlap when the machine is late; then the next one takes all.
    private void Sample()
    {
        if (!_sampled.TryEnter())
            return;
        try
        {
            if (_duration.Enabled && _isSampling)
            {
                _sampler.Take((command, nanoseconds) => _duration.Record(
                    nanoseconds * 1e-9, new KeyValuePair<string, object?>(CommandTag, command.Name)));
            }
            else if (_duration.Enabled)
                _sampler.Begin();

            _isSampling = _duration.Enabled;
        }
        finally
        {
            _sampled.Exit();
        }
    }
}
