using System.Text;
using Cache.Server.PubSub;

namespace Cache.Server.Tests.PubSub;

public sealed class SubscriptionSetTests
{
    private readonly Subscriptions _owner = new(new ChannelTable(null!), new LocalQueue(1));
    private SubscriptionSet _set;

    [Fact]
    public void Find_NoneOneAndMany_FindsByName()
    {
        Assert.Null(_set.Find("a"u8));
        foreach (string name in (string[])["a", "b", "c"])
        {
            var added = Make(name);
            _set.Add(added);
            Assert.Same(added, _set.Find(Encoding.ASCII.GetBytes(name)));
            Assert.Null(_set.Find("x"u8));
        }

        Assert.Equal(3, _set.Count);
        Assert.Equal("abc", Names());
    }

    [Fact]
    public void Remove_DuringTheEnumeration_LeavesNone()
    {
        foreach (int count in (int[])[1, 2, 5, 1])
        {
            for (int i = 0; i < count; i++)
                _set.Add(Make($"{i}"));
            int met = 0;
            foreach (var one in _set)
            {
                _set.Remove(one);
                met++;
            }

            Assert.Equal((count, 0, ""), (met, _set.Count, Names()));
            Assert.Null(_set.Find("0"u8));
        }
    }

    [Fact]
    public void Add_BehindTheLastOfMany_IsAloneThere()
    {
        var (one, other) = (Make("a"), Make("b"));
        _set.Add(one);
        _set.Remove(one);
        _set.Add(other);
        Assert.Equal("b", Names());
        _set.Add(one);
        _set.Remove(other);
        _set.Remove(one);
        _set.Add(other);

        Assert.Equal((1, "b"), (_set.Count, Names()));
        Assert.Null(_set.Find("a"u8));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100)]
    public void Remove_MostOfMany_GivesTheirRoomBack(int left)
    {
        const int Count = 20_000;
        for (int i = 0; i < Count; i++)
            _set.Add(Make($"{i}"));
        int met = 0;
        foreach (var one in _set)
        {
            met++;
            if (_set.Count > left)
                _set.Remove(one);
        }

        Assert.Equal((Count, left), (met, _set.Count));
        Assert.InRange(_set.Capacity, 1, Math.Max(64, left * 16));
        foreach (var one in _set)
            Assert.Same(one, _set.Find(one.Channel.Name));
        _set.Add(Make("again"));
        Assert.NotNull(_set.Find("again"u8));
    }

    private Subscription Make(string name) =>
        new(new Channel(Encoding.ASCII.GetBytes(name), ChannelKind.Channel), _owner);

    private string Names()
    {
        var names = new StringBuilder();
        foreach (var one in _set)
            names.Append(Encoding.ASCII.GetString(one.Channel.Name));
        return names.ToString();
    }
}
