using System.Diagnostics.Metrics;
using System.Text;
using Cache.Core;
using Cache.Testing;

namespace Cache.Server.Tests.Metrics;

public sealed class RespServerMetricsTests : IAsyncLifetime
{
    private readonly FakeTimeProvider _time = new();
    private readonly CacheStore _store;
    private readonly List<(string Name, double Value, string Tags)> _heard = [];
    private InMemoryServer _server = null!;
    private RespServerMetrics _metrics = null!;

    public RespServerMetricsTests() =>
        _store = new CacheStore(new CacheOptions { MemoryLimitBytes = CacheOptions.MemoryLimitMin }, _time);

    public async ValueTask InitializeAsync()
    {
        _server = await InMemoryServer.StartAsync(_store);
        _metrics = new RespServerMetrics(_server.Server);
    }

    public async ValueTask DisposeAsync()
    {
        _metrics.Dispose();
        await _server.DisposeAsync();
        _store.Dispose();
    }

    [Fact]
    public void Counters_AreObservedByCommandAndByError()
    {
        using var listener = Listen();
        var client = _server.Connect();
        Ask(client, "SET one 1\r\n");
        Ask(client, "GET one\r\n");
        Ask(client, "GET one\r\n");
        Ask(client, "INCRBY one x\r\n");

        listener.RecordObservableInstruments();

        Assert.Equal(2, ValueOf("cache.server.commands", "db.operation.name=get"));
        Assert.Equal(1, ValueOf("cache.server.commands", "db.operation.name=set"));
        Assert.Equal(1, ValueOf("cache.server.command.failures", "db.operation.name=incrby"));
        Assert.Equal(1, ValueOf("cache.server.errors", "db.response.status_code=ERR"));
        Assert.Equal(1, ValueOf("cache.server.clients", ""));
        Assert.Equal(1, ValueOf("cache.server.clients.accepted", ""));
        Assert.Equal(0, ValueOf("cache.server.clients.rejected", ""));
        Assert.True(ValueOf("cache.server.io", "network.io.direction=receive") > 0);
        Assert.True(ValueOf("cache.server.io", "network.io.direction=transmit") > 0);
    }

    [Fact]
    public void Duration_WithAListener_IsOneOf64CallsFromThenOn()
    {
        var client = _server.Connect();
        Repeat(client, 640);
        using var listener = Listen();
        _time.Advance(1000);
        Assert.Empty(Durations());

        Repeat(client, 6400);
        _time.Advance(1000);

        // What remains of each class of durations is taken later; on this clock all calls take no time, one class.
        Assert.Equal(100, Durations().Count(one => one.Tags == "db.operation.name=ping"));
        Repeat(client, 63);
        _time.Advance(1000);
        Assert.Equal(100, Durations().Count());
        Repeat(client, 1);
        _time.Advance(1000);
        Assert.Equal(101, Durations().Count());
    }

    [Fact]
    public void Duration_AfterResetOfTheStatistics_BeginsAnew()
    {
        var client = _server.Connect();
        using var listener = Listen();
        _time.Advance(1000);
        Repeat(client, 64);
        _time.Advance(1000);
        Assert.Single(Durations());

        Ask(client, "CONFIG RESETSTAT\r\n");
        _time.Advance(1000);
        Repeat(client, 64);
        _time.Advance(1000);

        Assert.Equal(2, Durations().Count(one => one.Tags == "db.operation.name=ping"));
    }

    [Fact]
    public void Duration_WithoutAListener_IsNotSampled()
    {
        var client = _server.Connect();
        Repeat(client, 640);
        _time.Advance(10_000);

        using var listener = Listen();
        _time.Advance(1000);

        Assert.Empty(Durations());
    }

    [Fact]
    public void Dispose_EndsTheObservation()
    {
        using var listener = Listen();
        _metrics.Dispose();

        listener.RecordObservableInstruments();

        Assert.Empty(_heard);
    }

    // .NET's factory shares a meter among all who ask for its name, and ends it with the container.
    [Fact]
    public void Dispose_OfAFactorysMeter_EndsTheObservation()
    {
        using var factory = new SharingFactory();
        var metrics = new RespServerMetrics(_server.Server, factory);
        using var listener = Listen(factory.Meter.Equals);
        Ask(_server.Connect(), "PING\r\n");
        listener.RecordObservableInstruments();
        Assert.NotEmpty(_heard);
        _heard.Clear();

        metrics.Dispose();
        listener.RecordObservableInstruments();

        Assert.Empty(_heard);
    }

    [Fact]
    public void Constructor_WithoutServerOrFactory_Throws()
    {
        Assert.Throws<ArgumentNullException>(() => new RespServerMetrics(null!));
        Assert.Throws<ArgumentNullException>(() => new RespServerMetrics(_server.Server, null!));
    }

    // Other tests have servers too: only this one's meter counts.
    private MeterListener Listen() => Listen(_metrics.Owns);

    private MeterListener Listen(Predicate<Meter> owns)
    {
        var listener = new MeterListener
        {
            InstrumentPublished = (instrument, it) =>
            {
                if (owns(instrument.Meter))
                    it.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, value, tags));
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Add(instrument, value, tags));
        listener.Start();
        return listener;
    }

    private void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var text = new StringBuilder();
        foreach (var (name, tag) in tags)
            text.Append(text.Length > 0 ? "," : "").Append(name).Append('=').Append(tag);
        lock (_heard)
            _heard.Add((instrument.Name, value, text.ToString()));
    }

    private double ValueOf(string name, string tags) =>
        Assert.Single(_heard, one => one.Name == name && one.Tags == tags).Value;

    private IEnumerable<(string Name, double Value, string Tags)> Durations() =>
        _heard.Where(one => one.Name == "cache.server.command.duration");

    private static void Repeat(InMemoryClient client, int count)
    {
        for (int i = 0; i < count; i++)
            Assert.Equal("+PONG\r\n", Ask(client, "PING\r\n"));
    }

    private static string Ask(InMemoryClient client, string line)
    {
        client.Send(line);
        return Encoding.Latin1.GetString(client.ReadAll());
    }

    private sealed class SharingFactory : IMeterFactory
    {
        public Meter Meter { get; } = new KeptMeter();

        public Meter Create(MeterOptions options) => Meter;

        public void Dispose()
        {
        }
    }

    private sealed class KeptMeter() : Meter(RespServerMetrics.MeterName)
    {
        protected override void Dispose(bool disposing)
        {
        }
    }
}
