using System.Globalization;
using System.Text;
using Cache.Server.Commands.Geo;

namespace Cache.Server.Tests.Commands.Geo;

public sealed class GeoPointsTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public void End_OfMoreThanAreWanted_HasTheFirstOfTheirOrder(int direction)
    {
        const int Found = 20_000;
        const int Wanted = 700;
        int seed = Random.Shared.Next();
        var random = new Random(seed);
        (string Name, double Distance)[] all =
        [
            .. Enumerable.Range(0, Found).Select(i => (
                i == 77 ? "" : i.ToString(CultureInfo.InvariantCulture), Math.Round(random.NextDouble() * 5_000))),
        ];
        using var points = new GeoPoints();

        points.Begin(Wanted, direction);
        foreach (var (name, distance) in all)
            points.Add(Encoding.ASCII.GetBytes(name), distance + 1, distance);
        points.End();

        var expected = all.Index()
            .OrderBy(each => direction * each.Item.Distance).ThenBy(each => each.Index).Take(Wanted)
            .Select(each => (each.Item.Name, each.Item.Distance, each.Item.Distance + 1));
        var actual = Enumerable.Range(0, points.Count).Select(i => (
            Encoding.ASCII.GetString(points.MemberAt(i)), points[i].Distance, points[i].Score));
        Assert.True(expected.SequenceEqual(actual), $"seed {seed}");
    }

    [Fact]
    public void Add_InNoOrder_KeepsAll()
    {
        using var points = new GeoPoints();

        points.Begin(wanted: 3, direction: 0);
        for (int i = 0; i < 5_000; i++)
            points.Add("m"u8, i, 5_000 - i);
        Assert.Equal(5_000, points.Count);
        points.End();

        Assert.Equal((3, 0.0, 2.0), (points.Count, points[0].Score, points[2].Score));
    }

    [Fact]
    public void Add_OfMoreThanTheBound_IsRefused()
    {
        byte[] member = new byte[GeoPoints.BytesMax / 4];
        using var points = new GeoPoints();
        points.Begin(wanted: 0, direction: 0);
        for (int i = 0; i < 4; i++)
            points.Add(member, i, i);
        Assert.Equal((4, false), (points.Count, points.IsTooLong));

        points.Add("m"u8, 5, 5);

        Assert.Equal((4, true), (points.Count, points.IsTooLong));
        points.Begin(wanted: 0, direction: 0);
        Assert.False(points.IsTooLong);
    }
}
