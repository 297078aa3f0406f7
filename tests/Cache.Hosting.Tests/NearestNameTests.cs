using Cache.Hosting.Configuration;
using Cache.Server.Settings;

namespace Cache.Hosting.Tests;

public sealed class NearestNameTests
{
    [Theory]
    [InlineData("port", "port", 0)]
    [InlineData("prot", "port", 1)]
    [InlineData("por", "port", 1)]
    [InlineData("ports", "port", 1)]
    [InlineData("part", "port", 1)]
    [InlineData("", "port", 4)]
    [InlineData("maxmemroy", "maxmemory", 1)]
    public void Distance_CountsMistakes(string one, string other, int mistakes)
    {
        Assert.Equal(mistakes, NearestName.Distance(one, other));
        Assert.Equal(mistakes, NearestName.Distance(other, one));
    }

    [Theory]
    [InlineData("maxmemroy", "maxmemory")]
    [InlineData("MaxMemory-Polcy", "maxmemory-policy")]
    [InlineData("bnd", "bind")]
    [InlineData("require-pass", "requirepass")]
    [InlineData("maxmem", "maxmemory")]
    [InlineData("activerehashing", null)]
    [InlineData("x", null)]
    public void FindNearest_SuggestsWhatIsNear(string name, string? nearest) =>
        Assert.Equal(nearest, DirectiveNames.FindNearest(name));
}
