using System.Buffers;
using System.Globalization;
using System.Text;
using Cache.Server.Statistics;

namespace Cache.Server.Package;

/// <summary>The history as comma-separated values: a column a series, a line a moment, the oldest first.</summary>
internal static class PackageHistory
{
    /// <summary>The name of the first column: Unix seconds.</summary>
    public const string MomentName = "at";

    // A day in tens of seconds has 360,000 values; of most, three digits behind the point are more than is known.
    private const string Format = "0.###";

    public static void Write(IBufferWriter<byte> output, PackageSource source, bool isCoarse)
    {
        var line = new StringBuilder(MomentName);
        foreach (var series in HistorySeries.All)
            line.Append(',').Append(series.Name);
        WriteLine(output, line);
        foreach (var (at, values) in source.Server.History.ReadAll(isCoarse))
        {
            line.Append(CultureInfo.InvariantCulture, $"{at}");
            foreach (double value in values)
                line.Append(',').Append(value.ToString(Format, CultureInfo.InvariantCulture));
            WriteLine(output, line);
        }
    }

    private static void WriteLine(IBufferWriter<byte> output, StringBuilder line)
    {
        Encoding.ASCII.GetBytes(line.Append('\n').ToString(), output);
        line.Clear();
    }
}
