using System.Buffers;
using System.Text;
using Cache.Core;
using Cache.Server.Metrics;
using Cache.Testing;

namespace Cache.Server.Tests.Metrics;

public sealed class MetricsTextTests : IAsyncDisposable
{
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = CacheOptions.MemoryLimitMin });
    private InMemoryServer? _server;

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
        _store.Dispose();
    }

    [Fact]
    public async Task Write_AfterRequests_HasTheirFiguresUnderTheNamesOfTheExporter()
    {
        var client = await ConnectAsync();
        Assert.Equal("+OK\r\n", Ask(client, "SET one 1\r\n"));
        Assert.Equal("+OK\r\n", Ask(client, "SET two 2 EX 100\r\n"));
        Assert.Equal("$1\r\n1\r\n", Ask(client, "GET one\r\n"));
        Assert.Equal("$-1\r\n", Ask(client, "GET none\r\n"));
        Assert.StartsWith("-ERR", Ask(client, "INCRBY one x\r\n"));
        Assert.StartsWith("-ERR", Ask(client, "GET\r\n"));

        var text = Read();

        Assert.Equal(1, text.Value("redis_up"));
        Assert.Equal(2, text.Value("redis_commands_total", "cmd=get"));
        Assert.Equal(2, text.Value("redis_commands_total", "cmd=set"));
        Assert.Equal(1, text.Value("redis_commands_failed_calls_total", "cmd=incrby"));
        Assert.Equal(1, text.Value("redis_commands_rejected_calls_total", "cmd=get"));
        Assert.True(text.Value("redis_commands_duration_seconds_total", "cmd=get") > 0);
        Assert.Equal(1, text.Value("redis_keyspace_hits_total"));
        Assert.Equal(1, text.Value("redis_keyspace_misses_total"));
        Assert.Equal(2, text.Value("redis_db_keys", "db=db0"));
        Assert.Equal(1, text.Value("redis_db_keys_expiring", "db=db0"));
        Assert.Equal(0, text.Value("redis_db_keys", "db=db15"));
        Assert.Equal(1, text.Value("redis_connected_clients"));
        Assert.Equal(2, text.Value("redis_errors_total", "err=ERR"));
        Assert.Equal(CacheOptions.MemoryLimitMin, text.Value("redis_memory_max_bytes"));
        Assert.Equal(2, text.Value("redis_latency_percentiles_usec_count", "cmd=get"));
        Assert.True(text.Value("redis_latency_percentiles_usec", "cmd=get", "quantile=0.999") > 0);
        Assert.Equal(2, text.Value("redis_commands_latencies_usec_bucket", "cmd=get", "le=+Inf"));
        Assert.Equal("7.0.15", text.Samples.Single(one => one.Name == "redis_instance_info").Labels["redis_version"]);
    }

    [Fact]
    public async Task Write_HasAllThatKnownDashboardsAskFor()
    {
        var client = await ConnectAsync();
        Assert.Equal("+PONG\r\n", Ask(client, "PING\r\n"));

        var present = Read().Samples.Select(sample => sample.Name).ToHashSet();

        Assert.Empty(_askedFor.Except(present));
    }

    [Fact]
    public async Task Write_TypesCountersAsCounters()
    {
        var client = await ConnectAsync();
        var text = Read();

        Assert.All(
            text.Types.Where(one => one.Key.EndsWith("_total", StringComparison.Ordinal)),
            one => Assert.Equal("counter", one.Value));
        Assert.Equal("summary", text.Types["redis_latency_percentiles_usec"]);
        Assert.Equal("histogram", text.Types["redis_commands_latencies_usec"]);
        Assert.Equal("gauge", text.Types["redis_memory_used_bytes"]);
    }

    // INFO has both, as Redis does; a collector refuses a series with two samples.
    [Fact]
    public async Task Write_PercentileGivenTwice_HasOneSample()
    {
        var client = await ConnectAsync();
        Assert.Equal("+OK\r\n", Ask(client, "CONFIG SET latency-tracking-info-percentiles \"50 50.0 99 50\"\r\n"));
        Assert.Equal("+PONG\r\n", Ask(client, "PING\r\n"));

        var samples = Read().Samples
            .Where(static one => one.Name == "redis_latency_percentiles_usec" && one.Has("cmd=ping"));

        Assert.Equal(["0.5", "0.99"], samples.Select(static one => one.Labels["quantile"]));
    }

    [Fact]
    public async Task Write_BeforeAnyCommandAndWithoutLatencies_IsValid()
    {
        await StartAsync();
        Assert.Equal(1, Read().Value("redis_up"));
        _server!.Server.State.Settings.TracksLatency = false;

        Assert.DoesNotContain(Read().Samples, sample => sample.Name.StartsWith("redis_latency_percentiles"));
    }

    // Of INFO, and of the counters: nothing for each client, each key, each call.
    [Fact]
    public async Task Write_AllocatesABoundedAmount()
    {
        var client = await ConnectAsync();
        for (int i = 0; i < 1000; i++)
            Assert.Equal("+OK\r\n", Ask(client, $"SET key:{i} {i}\r\n"));
        var target = new ArrayBufferWriter<byte>(1 << 20);

        long allocated = AllocatedBytes.LeastOf(() =>
        {
            target.ResetWrittenCount();
            MetricsText.Write(_server!.Server.State, target);
        });

        Assert.InRange(allocated, 0, 400_000);
    }

    // Of the dashboards 763 and 11835 of Grafana's collection, and redis_exporter's own.
    private static readonly string[] _askedFor =
    [
        "redis_up", "redis_uptime_in_seconds", "redis_start_time_seconds", "redis_instance_info",
        "redis_connected_clients", "redis_blocked_clients", "redis_connected_slaves", "redis_memory_used_bytes",
        "redis_memory_used_rss_bytes", "redis_memory_max_bytes", "redis_config_maxmemory",
        "redis_memory_fragmentation_ratio", "redis_mem_fragmentation_ratio", "redis_commands_total",
        "redis_commands_processed_total", "redis_commands_duration_seconds_total", "redis_keyspace_hits_total",
        "redis_keyspace_misses_total", "redis_net_input_bytes_total", "redis_net_output_bytes_total", "redis_db_keys",
        "redis_db_keys_expiring", "redis_expired_keys_total", "redis_evicted_keys_total",
        "redis_rejected_connections_total", "redis_connections_received_total", "redis_slowlog_length",
        "redis_rdb_changes_since_last_save", "redis_rdb_last_save_timestamp_seconds", "redis_cpu_sys_seconds_total",
        "redis_cpu_user_seconds_total", "redis_loading_dump_file", "redis_latency_percentiles_usec",
    ];

    private static string Ask(InMemoryClient client, string line)
    {
        client.Send(line);
        return Encoding.Latin1.GetString(client.ReadAll());
    }

    private PrometheusText Read()
    {
        var text = new ArrayBufferWriter<byte>();
        MetricsText.Write(_server!.Server.State, text);
        return PrometheusText.Parse(text.WrittenSpan);
    }

    private async Task StartAsync() => _server = await InMemoryServer.StartAsync(_store);

    private async Task<InMemoryClient> ConnectAsync()
    {
        await StartAsync();
        return _server!.Connect();
    }
}
