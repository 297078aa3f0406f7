using Cache.Server.Clients;

namespace Cache.Server.Tests.Clients;

public sealed class LimitEventsTests
{
    [Fact]
    public void Add_OftenWithinTenSeconds_GivesOneLineThatCountsTheOthers()
    {
        var events = new LimitEvents();

        Assert.True(events.Add(ConnectionLimit.Http, 1000, out long unlogged));
        Assert.Equal(0, unlogged);
        for (int i = 0; i < 5; i++)
            Assert.False(events.Add(ConnectionLimit.Http, 10_999, out _));
        Assert.True(events.Add(ConnectionLimit.Http, 11_000, out unlogged));

        Assert.Equal(5, unlogged);
        Assert.Equal(7, events[ConnectionLimit.Http]);
    }

    [Fact]
    public void Add_OfAnotherLimit_HasItsOwnLine()
    {
        var events = new LimitEvents();
        events.Add(ConnectionLimit.Http, 1000, out _);

        Assert.True(events.Add(ConnectionLimit.Tls, 1000, out _));
    }

    [Fact]
    public void Reset_Always_CountsFromZero()
    {
        var events = new LimitEvents();
        events.Add(ConnectionLimit.Http, 1000, out _);
        events.Reset();

        Assert.Equal(0, events[ConnectionLimit.Http]);
        events.Add(ConnectionLimit.Http, 1000, out _);
        Assert.Equal(1, events[ConnectionLimit.Http]);
    }
}
