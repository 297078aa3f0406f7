using System.Net;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Tests.ServerLoad;

public sealed class MixedCommandsTests
{
    private static readonly LoadOptions s_options = new()
    {
        Target = new IPEndPoint(IPAddress.Loopback, 1),
        Keys = 100,
        Seed = 5,
    };

    [Theory]
    [InlineData(4, 1, 0.2)]
    [InlineData(1, 0, 0.0)]
    [InlineData(0, 1, 1.0)]
    public void TryNext_Ratio_IsTheShareOfSets(int getShare, int setShare, double expected)
    {
        var commands = new MixedCommands(s_options with { GetShare = getShare, SetShare = setShare }, 0, 100_000);
        int sets = 0;
        while (commands.TryNext(out long id, out bool isSet))
        {
            Assert.InRange(id, 0, 99);
            sets += isSet ? 1 : 0;
        }

        Assert.Equal(expected, sets / 100_000.0, 0.01);
    }

    [Fact]
    public void TryNext_SameSeedAndStream_DrawsTheSame()
    {
        Assert.Equal(Draw(stream: 3), Draw(stream: 3));
        Assert.NotEqual(Draw(stream: 3), Draw(stream: 4));
    }

    private static List<long> Draw(int stream)
    {
        var commands = new MixedCommands(s_options, stream, 50);
        var drawn = new List<long>();
        while (commands.TryNext(out long id, out bool isSet))
            drawn.Add(isSet ? ~id : id);
        return drawn;
    }
}
