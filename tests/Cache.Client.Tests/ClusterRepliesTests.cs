using System.Text;
using Cache.Protocol;

namespace Cache.Client.Tests;

public sealed class ClusterRepliesTests
{
    private static readonly ServerAddress _asked = new("10.0.0.1", 7000);

    [Fact]
    public void ReadSlots_Ranges_AreRead()
    {
        var reply = List(
            List(Number(0), Number(99), List(Text("10.0.0.2"), Number(7001), Text("id2")), List(Text("r"), Number(1))),
            List(Number(100), Number(16383), List(Text(""), Number(7000), Text("id1"))));
        Assert.Equal(
            [
                new SlotRange(0, 99, "id2", new ServerAddress("10.0.0.2", 7001)),
                new SlotRange(100, 16383, "id1", _asked),
            ],
            ClusterReplies.ReadSlots(reply, _asked));
    }

    [Fact]
    public void ReadSlots_WrongRanges_AreRefused()
    {
        var node = List(Text("h"), Number(1));
        Assert.Throws<InvalidDataException>(() => ClusterReplies.ReadSlots(List(List(Number(1))), _asked));
        Assert.Throws<InvalidDataException>(
            () => ClusterReplies.ReadSlots(List(List(Number(5), Number(4), node)), _asked));
        Assert.Throws<InvalidDataException>(
            () => ClusterReplies.ReadSlots(List(List(Number(0), Number(16384), node)), _asked));
        Assert.Throws<InvalidDataException>(
            () => ClusterReplies.ReadSlots(List(List(Number(0), Number(1), List(Text("h"), Number(0)))), _asked));
    }

    [Theory]
    [InlineData("MOVED 3999 127.0.0.1:6381", false, "127.0.0.1:6381")]
    [InlineData("ASK 3999 host:6381", true, "host:6381")]
    [InlineData("MOVED 3999 :6381", false, "10.0.0.1:6381")]
    public void TryReadRedirection_Redirection_IsRead(string text, bool isAsk, string place)
    {
        Assert.True(ClusterReplies.TryReadRedirection(Error(text), _asked, out bool asks, out var address));
        Assert.Equal((isAsk, place), (asks, address.ToString()));
    }

    [Theory]
    [InlineData("ERR no")]
    [InlineData("MOVED 3999")]
    [InlineData("MOVED x host:1")]
    [InlineData("MOVED 16384 host:1")]
    [InlineData("MOVED 1 host:0")]
    public void TryReadRedirection_OtherErrors_AreNone(string text) =>
        Assert.False(ClusterReplies.TryReadRedirection(Error(text), _asked, out _, out _));

    private static RespReply List(params RespReply[] items) => new(RespType.Array, items);

    private static RespReply Number(long number) => new(RespType.Integer, number);

    private static RespReply Text(string text) => new(RespType.Bulk, Encoding.ASCII.GetBytes(text));

    private static RespReply Error(string text) => new(RespType.Error, Encoding.ASCII.GetBytes(text));
}
