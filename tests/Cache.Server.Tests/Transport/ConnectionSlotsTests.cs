using System.Net;
using Cache.Server.Transport.Linux;

namespace Cache.Server.Tests.Transport;

public sealed class ConnectionSlotsTests
{
    private static readonly IPEndPoint _nobody = new(IPAddress.Loopback, 1);

    [Fact]
    public void Find_NumberOfAConnectionThatIsGone_FindsNone()
    {
        if (!EpollTransport.IsSupported)
            return;
        using var epoll = new EpollTransport(1, TimeProvider.System);
        var slots = new ConnectionSlots();
        var numbers = new HashSet<ulong>();
        var present = new Queue<(ulong Number, EpollConnection Connection)>();
        for (int i = 0; i < 1000; i++)
        {
            // Not a descriptor: the loop cannot watch it, and lets it go.
            var connection = epoll.Connect(-1, _nobody, _nobody);
            ulong number = slots.Add(connection);
            present.Enqueue((number, connection));
            Assert.NotEqual(0UL, number);
            Assert.True(numbers.Add(number), "A number is given twice.");
            if (i % 3 > 0)
                continue;
            ulong gone = present.Dequeue().Number;
            slots.Remove(gone);
            slots.Remove(gone);
            Assert.Null(slots.Find(gone));
        }

        Assert.Null(slots.Find(0));
        Assert.Null(slots.Find(ulong.MaxValue));
        Assert.Equal(present.Count, slots.Count);
        Assert.All(present, one => Assert.Same(one.Connection, slots.Find(one.Number)));
        Assert.Equal(
            present.Select(static one => one.Connection).ToHashSet(), slots.ToHashSet());
    }
}
