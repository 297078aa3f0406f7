using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

public sealed class SortedSetSnapshotTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Reads_OfASnapshot_AreOfItsMoment()
    {
        Add(("a", 1), ("b", 2), ("c", 3));

        using var set = Store.SortedSet("z"u8).TakeSnapshot(out var status);
        Store.SortedSet("z"u8).Remove("b"u8);
        Add(("c", 9), ("d", 4));

        Assert.Equal((ReadStatus.Found, 3), (status, set.Count));
        Assert.True(set.TryGetScore("b"u8, out double score) && score == 2);
        Assert.False(set.TryGetScore("d"u8, out score));
        Assert.Equal(0, score);
        Assert.Equal(2, set.GetCount(SortedSetRange.ByScore(2, 8)));
        var sink = new ScoredListSink();
        set.GetRange(SortedSetRange.ByScore(2, ScoreBound.Highest) with { IsReversed = true }, ref sink);
        Assert.Equal([("c", 3), ("b", 2)], sink.Members);
    }

    [Fact]
    public void TakeSnapshot_OfNoSortedSet_HasNoMembers()
    {
        Store.Set("s"u8, "v"u8);

        using var none = Store.SortedSet("z"u8).TakeSnapshot(out var absent);
        using var other = Store.SortedSet("s"u8).TakeSnapshot(out var status);

        Assert.Equal((ReadStatus.NotFound, ReadStatus.WrongType), (absent, status));
        Assert.Equal((0, 0), (none.Count, other.Count));
        Assert.False(none.TryGetScore("a"u8, out _) || other.TryGetScore("a"u8, out _));
        Assert.Equal(0, other.GetCount(SortedSetRange.All));
    }

    [Fact]
    public void Dispose_Twice_GivesBackOnce()
    {
        Add(("a", 1));
        var first = Store.SortedSet("z"u8).TakeSnapshot(out _);
        first.Dispose();
        first.Dispose();
        using var second = Store.SortedSet("z"u8).TakeSnapshot(out _);
        Add(("b", 2));

        using var third = Store.SortedSet("z"u8).TakeSnapshot(out _);

        Assert.Equal((1, 2), (second.Count, third.Count)); // Had they one buffer, both had two.
    }

    [Fact]
    public void StoreSelection_OfSomeMembers_OverwritesTheDestination()
    {
        Add(("a", 1), ("b", 2), ("c", 3));
        Store.Set("d"u8, "v"u8);
        var chosen = new SelectedMembers { From = 2 };

        var selection = chosen.Selection;
        Assert.Equal(WriteStatus.Done, Store.StoreSelection("z"u8, ref selection, "d"u8));

        Assert.Equal([("b", 4), ("c", 6)], Members("d"));
        Assert.Equal(WriteStatus.Done, Store.StoreSelection("absent"u8, ref selection, "d"u8));
        Assert.False(Store.Contains("d"u8));
        Assert.Equal(WriteStatus.Done, Store.StoreSelection("z"u8, ref selection, "z"u8));
        Assert.Equal([("b", 4), ("c", 6)], Members("z"));
    }

    [Fact]
    public void StoreSelection_ThatDeclines_WritesNothing()
    {
        Add(("a", 1));
        Store.Set("d"u8, "v"u8);
        var selection = new SelectedMembers { Declines = true }.Selection;

        Assert.Equal(WriteStatus.ConditionNotMet, Store.StoreSelection("z"u8, ref selection, "d"u8));

        Assert.Equal(EntryKind.String, Store.KindOf("d"u8));
        Assert.Equal(WriteStatus.WrongType, Store.StoreSelection("d"u8, ref selection, "e"u8));
    }

    // The first choice is of what was there before the write, so it is made again.
    [Fact]
    public void StoreSelection_WhileTheSourceIsWritten_ChoosesAnew()
    {
        Add(("a", 1));
        bool isWritten = false;
        var chosen = new SelectedMembers
        {
            Before = () =>
            {
                if (!isWritten)
                    Add(("b", 2));
                isWritten = true;
            },
        };

        var selection = chosen.Selection;
        Assert.Equal(WriteStatus.Done, Store.StoreSelection("z"u8, ref selection, "d"u8));

        Assert.Equal(2, chosen.Calls);
        Assert.Equal([("a", 2), ("b", 4)], Members("d"));
    }

    private void Add(params (string Member, double Score)[] members)
    {
        var scores = new ScoreArray(members);
        Assert.Equal(
            WriteStatus.Done, Store.SortedSet("z"u8).AddMany(ref scores, ScoreConditions.None, out _, out _));
    }

    private List<(string Member, double Score)> Members(string key)
    {
        var sink = new ScoredListSink();
        Store.SortedSet(Bytes(key)).GetRange(SortedSetRange.All, ref sink);
        return sink.Members;
    }
}
