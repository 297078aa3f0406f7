using System.Text.Json;

namespace Cache.Dashboard.Live;

/// <summary>The samples of the last ten minutes. Thread-safe.</summary>
internal sealed class LiveHistory
{
    /// <summary>The most samples, one a second.</summary>
    public const int SamplesMax = 600;

    private static readonly string[] _names =
        [.. Enum.GetNames<LiveSeries>().Select(JsonNamingPolicy.CamelCase.ConvertName)];

    private readonly Lock _lock = new();
    private readonly long[] _seconds = new long[SamplesMax];
    private readonly double[][] _series = [.. _names.Select(static _ => new double[SamplesMax])];
    private int _count;
    private int _next;

    /// <summary>The names of the series, in the order of a sample.</summary>
    public static IReadOnlyList<string> Names => _names;

    /// <summary>Adds a sample; the oldest one is forgotten.</summary>
    /// <param name="unixSeconds">Its time.</param>
    /// <param name="sample">A value for each series; NaN: none.</param>
    public void Add(long unixSeconds, ReadOnlySpan<double> sample)
    {
        lock (_lock)
        {
            _seconds[_next] = unixSeconds;
            for (int i = 0; i < _series.Length; i++)
                _series[i][_next] = sample[i];
            _next = (_next + 1) % SamplesMax;
            _count = Math.Min(_count + 1, SamplesMax);
        }
    }

    /// <summary>Writes an object: the seconds under "t", and each series under its name, the oldest first.</summary>
    public void WriteTo(Utf8JsonWriter json)
    {
        lock (_lock)
        {
            json.WriteStartObject();
            json.WriteStartArray("t");
            for (int i = 0; i < _count; i++)
                json.WriteNumberValue(_seconds[PlaceOf(i)]);
            json.WriteEndArray();
            for (int series = 0; series < _series.Length; series++)
            {
                json.WriteStartArray(_names[series]);
                for (int i = 0; i < _count; i++)
                    WriteValue(json, _series[series][PlaceOf(i)]);
                json.WriteEndArray();
            }

            json.WriteEndObject();
        }
    }

    /// <summary>Writes a value of a sample.</summary>
    public static void WriteValue(Utf8JsonWriter json, double value)
    {
        if (double.IsFinite(value))
            json.WriteNumberValue(Math.Round(value, 3));
        else
            json.WriteNullValue();
    }

    private int PlaceOf(int index) => (_next - _count + index + SamplesMax) % SamplesMax;
}
