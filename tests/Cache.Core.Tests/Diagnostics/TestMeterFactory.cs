using System.Diagnostics.Metrics;

namespace Cache.Core.Tests.Diagnostics;

/// <summary>Makes meters, and collects what their instruments show when a test asks.</summary>
internal sealed class TestMeterFactory : IMeterFactory
{
    private readonly List<Meter> _meters = [];

    public Meter Create(MeterOptions options)
    {
        options.Scope = this;
        var meter = new Meter(options);
        _meters.Add(meter);
        return meter;
    }

    /// <summary>Each measurement as "instrument value tags", in order.</summary>
    public IReadOnlyList<string> Collect()
    {
        var lines = new List<string>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, its) =>
        {
            if (instrument.Meter.Scope == this)
                its.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            string line = $"{instrument.Name} {value}";
            foreach (var (key, tag) in tags)
                line += $" {key.Split('.')[^1]}={tag}";
            lines.Add(line);
        });
        listener.Start();
        listener.RecordObservableInstruments();
        lines.Sort(StringComparer.Ordinal);
        return lines;
    }

    public void Dispose() => _meters.ForEach(static meter => meter.Dispose());
}
