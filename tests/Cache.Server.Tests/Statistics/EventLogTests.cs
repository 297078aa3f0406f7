using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class EventLogTests
{
    private readonly EventLog _events = new();

    [Fact]
    public void GetLast_ManyEvents_HasTheYoungestFirst()
    {
        for (int i = 0; i < EventLog.EventsMax + 10; i++)
            _events.Add(i, EventKinds.Limit, $"event {i}");

        var last = _events.GetLast(int.MaxValue);

        Assert.Equal(EventLog.EventsMax, last.Count);
        Assert.Equal((EventLog.EventsMax + 9, $"event {EventLog.EventsMax + 9}"), (last[0].Id, last[0].Text));
        Assert.Equal(10, last[^1].Id);
        Assert.Equal(EventLog.EventsMax + 10, _events.Total);
        Assert.Equal(2, _events.GetLast(2).Count);
        Assert.Equal(3, _events.GetLast(100, sinceId: EventLog.EventsMax + 7).Count);
    }

    [Fact]
    public void Add_ManyOfOneKind_LeavesTheOthers()
    {
        _events.Add(1, EventKinds.Configuration, "CONFIG SET timeout 5");
        for (int i = 0; i < 3 * EventLog.EventsMax; i++)
            _events.Add(i, EventKinds.Pause, "a pause");

        var all = _events.GetLast(int.MaxValue);

        Assert.Equal(EventLog.EventsMax, all.Count);
        Assert.Equal(EventKinds.Configuration, all[^1].Kind);
        Assert.Equal(all.Count - 1, all.Count(static one => one.Kind == EventKinds.Pause));
    }

    [Fact]
    public void Add_LongText_IsCut()
    {
        _events.Add(1, EventKinds.Limit, new string('x', 1000));

        Assert.Equal(EventLog.TextLengthMax, _events.GetLast(1)[0].Text.Length);
    }
}
