using System.Globalization;
using Cache.Server.Commands.Geo;

namespace Cache.Server.Tests.Commands.Geo;

/// <summary>What Redis's recorded replies cannot show.</summary>
public sealed class GeoSearchCommandsTests : CommandTestBase
{
    // Against a look at each member: no cell is left out that has some.
    [Fact]
    public void GeoSearch_OfAnyShape_FindsWhatLiesInIt()
    {
        int seed = Random.Shared.Next();
        var random = new Random(seed);
        var members = new List<GeoPosition>();
        for (int i = 0; i < 90; i++)
        {
            var position = new GeoPosition(random.NextDouble() * 260 - 130, random.NextDouble() * 120 - 60);
            Client.Run(string.Create(
                CultureInfo.InvariantCulture, $"GEOADD g {position.Longitude:R} {position.Latitude:R} m{i}"));
            members.Add(GeoCell.Of(position, GeoCell.StepsMax).Center);
        }

        int found = 0;
        for (int i = 0; i < 300; i++)
        {
            // A circle that has no pole and no antimeridian: Redis's cells do not reach across either.
            double radius = Math.Pow(10, 5.2 + random.NextDouble() * 1.1);
            var center = new GeoPosition(random.NextDouble() * 200 - 100, random.NextDouble() * 60 - 30);
            string reply = Client.Run(string.Create(
                CultureInfo.InvariantCulture,
                $"GEORADIUS g {center.Longitude:R} {center.Latitude:R} {radius:R} m"));
            int expected = members.Count(each => center.DistanceTo(each) <= radius);
            Assert.True(
                reply.StartsWith($"*{expected}\r\n", StringComparison.Ordinal),
                $"seed {seed}: {expected} within {radius} m of {center}, not {reply}");
            found += expected;
        }

        Assert.InRange(found, 100, int.MaxValue);
    }

    // A word that is an argument of one option is the name of another.
    [Fact]
    public void GeoRadius_ToAKeyBehindTheWordStore_NeedsTheRight()
    {
        Client.Run("GEOADD src 1 1 m");
        Client.Run("ACL SETUSER u on nopass ~src ~STORE +@all");
        var user = Connect();
        user.Run("AUTH u any");

        Assert.StartsWith(
            "-NOPERM", user.Run("GEORADIUS src 1 1 1 km STOREDIST STORE STORE dest"), StringComparison.Ordinal);
        Assert.StartsWith(
            "-NOPERM", user.Run("GEORADIUSBYMEMBER src m 1 km STORE STOREDIST STOREDIST dest"),
            StringComparison.Ordinal);
        Assert.Equal(":1\r\n", user.Run("GEORADIUS src 1 1 1 km STORE STORE"));
        Assert.Equal(":0\r\n", Client.Run("EXISTS dest"));
    }
}
