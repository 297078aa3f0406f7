using System.Text;
using Cache.Server.Statistics;
using Cache.Testing;

namespace Cache.Server.Tests.Statistics;

public sealed class PrefixTableTests
{
    private const byte Colon = (byte)':';

    private readonly PrefixTable _table = new();

    [Theory]
    [InlineData("user:eu:17", "user:eu:")]
    [InlineData("user:eu:17:name", "user:eu:")]
    [InlineData("user:17", "user:")]
    [InlineData("user:", "user:")]
    [InlineData("user", "")]
    [InlineData("", "")]
    [InlineData("::x", "::")]
    [InlineData(":x", ":")]
    public void Add_AKey_CountsForWhatStandsBeforeTheSecondSeparator(string key, string prefix)
    {
        Add(_table, key);

        Assert.Equal([(prefix, 1)], Read(_table));
    }

    [Fact]
    public void Add_LongFirstParts_CountForLessOrNone()
    {
        string part = new('x', PrefixTable.LengthMax - 1);
        Add(_table, part + ":second:third");
        Add(_table, part + "y:second:third");

        Assert.Equal([("", 1), (part + ":", 1)], Read(_table));
    }

    [Fact]
    public void Add_PartWithManyPrefixes_IsCountedWholeFromThenOn()
    {
        for (int i = 0; i < 10_000; i++)
        {
            Add(_table, $"user:{i}:name");
            Add(_table, $"order:{i % 3}:name");
        }

        var rows = Read(_table);

        Assert.Equal(
            [("order:0:", 3334), ("order:1:", 3333), ("order:2:", 3333), ("user:", 10_000)], rows);
        Assert.Equal(0, _table.Others.Keys);
    }

    [Fact]
    public void Add_ManyFirstParts_KeepsTheFrequentOnesAndTheSum()
    {
        for (int i = 0; i < 20_000; i++)
        {
            Add(_table, $"once{i}:name");
            Add(_table, "often:name");
        }

        Assert.Contains(("often:", 20_000), Read(_table));
        Assert.Equal(20_000, Read(_table).Sum(static row => row.Keys) + _table.Others.Keys - 20_000);
        Assert.InRange(_table.Others.Keys, 20_000 - PrefixTable.CountMax, 20_000);
    }

    // One key may be most of the memory.
    [Fact]
    public void Add_LargeKeyAmongManyPrefixes_KeepsItsRow()
    {
        _table.Add("large:b:c"u8, Colon, new PrefixFigures { Keys = 1, Size = 3_000_000 });
        for (int i = 0; i < 3000; i++)
            _table.Add(Encoding.ASCII.GetBytes($"p{i}:x:1"), Colon, new PrefixFigures { Keys = 1, Size = 40 });

        int index = Array.FindIndex(Read(_table), static row => row.Prefix == "large:b:");
        Assert.InRange(index, 0, PrefixTable.CountMax);
        Assert.Equal(3001, Read(_table).Sum(static row => row.Keys) + _table.Others.Keys);
    }

    // A part is counted whole for its own prefixes alone.
    [Fact]
    public void Add_PartWithOnePrefix_StaysApartBesideOneWithMany()
    {
        for (int i = 0; i < 200; i++)
            Add(_table, $"single{i}:only:1");
        for (int i = 0; i < 1000; i++)
            Add(_table, $"user:{i}:name");

        Assert.Contains(("user:", 1000), Read(_table));
        Assert.Equal(200, Read(_table).Count(static row => row.Prefix.EndsWith(":only:", StringComparison.Ordinal)));
    }

    // Whatever comes, in whatever order: nothing is lost, and the bound holds.
    [Fact]
    public void Add_RandomKeys_LosesNothing() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var table = new PrefixTable();
        var other = new PrefixTable();
        int first = random.Next(1, 400);
        int second = random.Next(1, 400);
        const int Keys = 5000;
        for (int i = 0; i < Keys; i++)
        {
            string key = $"{random.Next(first)}:{random.Next(second)}:{i}";
            Add(random.Next(3) == 0 ? other : table, random.Next(10) == 0 ? $"{random.Next(first)}:{i}" : key);
        }

        table.Add(other, factor: 1);

        Assert.InRange(table.Count, 1, PrefixTable.CountMax);
        Assert.Equal(Keys, Read(table).Sum(static row => row.Keys) + table.Others.Keys);
        Assert.Equal(table.Count, Read(table).Select(static row => row.Prefix).Distinct().Count());
        string[] whole = [.. Read(table).Select(static row => row.Prefix).Where(static row => row.Count(':') == 1)];
        if (first * second > 20 * PrefixTable.CountMax && table.Others.Keys == 0)
            Assert.NotEmpty(whole);
    });

    [Fact]
    public void Add_TableThatCountsAPartWhole_DoesSoToo()
    {
        var other = new PrefixTable();
        for (int i = 0; i < 1000; i++)
            Add(other, $"user:{i}:name");
        Add(_table, "user:1:name");
        Add(_table, "user:2:name");
        Add(_table, "order:1:name");

        _table.Add(other, factor: 0.5);

        Assert.Equal([("order:1:", 1), ("user:", 502)], Read(_table));
    }

    private static void Add(PrefixTable table, string key) =>
        table.Add(Encoding.ASCII.GetBytes(key), Colon, new PrefixFigures { Keys = 1 });

    private static (string Prefix, double Keys)[] Read(PrefixTable table) =>
    [
        .. Enumerable.Range(0, table.Count)
            .Select(i => (Encoding.ASCII.GetString(table.PrefixAt(i)), table.FiguresAt(i).Keys))
            .OrderBy(static row => row.Item1, StringComparer.Ordinal),
    ];
}
