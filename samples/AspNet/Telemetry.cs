using Cache.Core.Diagnostics;
using Cache.Server;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace AspNet;

/// <summary>Exports the metrics of the stores by OpenTelemetry, as long as the application runs.</summary>
internal sealed class Telemetry(IConfiguration configuration) : IHostedService, IDisposable
{
    private MeterProvider? _provider;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        int seconds = configuration.GetValue("Telemetry:Seconds", defaultValue: 10);
        _provider = Sdk.CreateMeterProviderBuilder()
            .AddMeter(CacheMetrics.MeterName)
            .AddMeter(RespServerMetrics.MeterName)
            .AddReader(new PeriodicExportingMetricReader(new ConsoleExporter(), seconds * 1000))
            .Build();
        return Task.CompletedTask;
    }

    // What was counted since the last time is exported once more.
    public Task StopAsync(CancellationToken cancellationToken)
    {
        Dispose();
        return Task.CompletedTask;
    }

    public void Dispose() => Interlocked.Exchange(ref _provider, null)?.Dispose();
}
