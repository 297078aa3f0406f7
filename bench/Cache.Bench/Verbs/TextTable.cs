namespace Cache.Bench.Verbs;

/// <summary>A table in plain text: the first column is aligned left, figures right.</summary>
internal sealed class TextTable(params string[] headings)
{
    private readonly List<string[]> _rows = [headings];

    public void Add(params string[] cells) => _rows.Add(cells);

    public void Print()
    {
        int[] widths = [.. headings.Select((_, column) => _rows.Max(row => row[column].Length))];
        foreach (string[] row in _rows)
        {
            var cells = row.Select((cell, i) => i == 0 ? cell.PadRight(widths[i]) : cell.PadLeft(widths[i]));
            Console.WriteLine(string.Join("  ", cells).TrimEnd());
        }

        Console.WriteLine();
    }
}
