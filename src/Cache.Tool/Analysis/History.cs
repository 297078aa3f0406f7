using System.Globalization;
using System.Text;
using Cache.Server.Package;

namespace Cache.Tool.Analysis;

/// <summary>The series of a package, by seconds.</summary>
internal sealed class History
{
    /// <summary>No figure of a server is so great: a quadrillion.</summary>
    public const double ValueMax = 1e15;

    // Ten minutes by seconds and the names, with room for some more; a line has some hundred characters.
    private const int RowsMax = 1000;
    private const int LineLengthMax = 8192;

    // The last second that a date has.
    private const double MomentMax = 253_402_300_799;

    private readonly Dictionary<string, int> _columns;
    private readonly List<double[]> _rows;

    private History(Dictionary<string, int> columns, List<double[]> rows)
    {
        _columns = columns;
        _rows = rows;
    }

    /// <summary>Whether there is a sample.</summary>
    public bool HasSamples => _rows.Count > 0;

    /// <summary>The first and the last second.</summary>
    public (long First, long Last) Range => ((long)_rows[0][0], (long)_rows[^1][0]);

    /// <exception cref="FormatException">It is not what a server writes.</exception>
    public static History Parse(byte[] text)
    {
        if (text.AsSpan().Count((byte)'\n') > RowsMax)
            throw new FormatException($"it has more than {RowsMax} lines");
        string[] lines = Encoding.ASCII.GetString(text).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        if (Array.Exists(lines, static line => line.Length > LineLengthMax))
            throw new FormatException($"a line has more than {LineLengthMax} characters");
        string[] names = lines.Length == 0 ? [] : lines[0].Split(',');
        if (names.Length == 0 || names[0] != PackageHistory.MomentName)
            throw new FormatException($"the first column is not {PackageHistory.MomentName}");
        var columns = new Dictionary<string, int>(StringComparer.Ordinal);
        for (int i = 0; i < names.Length; i++)
            columns[names[i]] = i;
        var rows = new List<double[]>();
        foreach (string line in lines.AsSpan(1))
        {
            string[] values = line.Split(',');
            if (values.Length != names.Length)
                throw new FormatException($"line {rows.Count + 2} has {values.Length} values, not {names.Length}");
            double[] row = Array.ConvertAll(values, ParseNumber);
            if (row[0] < 0 || row[0] > MomentMax)
                throw new FormatException($"line {rows.Count + 2} has a moment that no date has");
            rows.Add(row);
        }

        return new History(columns, rows);
    }

    /// <summary>The values of a series; none if it is unknown.</summary>
    public double[] Of(string series) =>
        _columns.TryGetValue(series, out int column) ? [.. _rows.Select(row => row[column])] : [];

    /// <summary>The mean of a series from a second on, before another; 0 if there is no sample.</summary>
    public double Mean(string series, long from, long before)
    {
        if (!_columns.TryGetValue(series, out int column))
            return 0;
        double sum = 0;
        int count = 0;
        foreach (double[] row in _rows)
        {
            if (row[0] < from || row[0] >= before)
                continue;
            sum += row[column];
            count++;
        }

        return count == 0 ? 0 : sum / count;
    }

    private static double ParseNumber(string text)
    {
        double value = double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
        return Math.Abs(value) < ValueMax ? value : throw new FormatException($"'{text}' is no number of a server");
    }
}
