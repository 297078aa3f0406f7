using System.Text;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Streams;
using Cache.Server.Protocol;

namespace Cache.Server.Tests.Commands.Streams;

public sealed class WaitedStreamsTests
{
    // Else one client could have each entry of a key look at a million places.
    [Fact]
    public void Of_OneKeySeveralTimes_HasItOnce_WithItsFirstId()
    {
        var ranges = Enumerable.Range(0, 5).Select(static i => new ArgumentRange(i, 1)).ToArray();
        var keys = new RequestSlice(new RespRequest("sstsu"u8, ranges), 0, 5);
        StreamId[] ids = [new(7, 7), new(5, 5), new(3, 3), new(9, 9), new(1, 1)];

        var streams = WaitedStreams.Of(keys, ids);

        Assert.Equal(
            [("s", ids[0]), ("t", ids[2]), ("u", ids[4])],
            streams.Select(static one => (Encoding.ASCII.GetString(one.Key), one.Value)));
        Assert.Equal(3, WaitedStreams.Of(keys, default).Count);
    }
}
