using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

/// <summary>Moments of the wall clock follow it when it is set after they were given; intervals do not.</summary>
public sealed class WallClockTests : IDisposable
{
    // The distance of the clocks counts as unchanged within so much.
    private const int ToleranceMs = 10;

    private const int SweepMs = 1_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private long UnixNowMs => _fixture.Clock.GetUtcNow().ToUnixTimeMilliseconds();

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(-3_650)]
    [InlineData(3_650)]
    public void Set_AMomentAfterTheClockWasSetRight_EndsThen(int days)
    {
        _fixture.Clock.JumpWallClock(TimeSpan.FromDays(days));
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 1 << 20 }, _fixture.Clock);
        _fixture.Clock.JumpWallClock(TimeSpan.FromDays(-days));
        long unixMs = UnixNowMs + 1_000;

        store.Set("key"u8, "value"u8, AtMoment(unixMs));

        Assert.True(store.TryPeekInfo("key"u8, out var info));
        Assert.Equal(unixMs, info.ExpiresAtUnixMs);
        _fixture.Clock.Advance(999);
        Assert.True(store.Contains("key"u8));
        _fixture.Clock.Advance(1);
        Assert.False(store.Contains("key"u8));
    }

    [Fact]
    public void Step_Forward_EndsMomentsAndNoIntervals()
    {
        SetBoth(10_000);

        Step(9_999);
        Assert.Equal("value", _fixture.Get("moment"));
        Step(1 + ToleranceMs);

        Assert.Null(_fixture.Get("moment"));
        Assert.Equal("value", _fixture.Get("interval"));
        _fixture.Clock.Advance(9_999);
        Assert.Equal("value", _fixture.Get("interval"));
        _fixture.Clock.Advance(1);
        Assert.Null(_fixture.Get("interval"));
    }

    [Fact]
    public void Step_Backward_LetsMomentsLiveAndNoIntervals()
    {
        SetBoth(10_000);

        Step(-60_000);
        _fixture.Clock.Advance(69_999);
        Assert.Equal("value", _fixture.Get("moment"));
        Assert.Null(_fixture.Get("interval"));
        _fixture.Clock.Advance(1);

        Assert.Null(_fixture.Get("moment"));
    }

    [Theory]
    [InlineData(3_600_000)]
    [InlineData(-3_600_000)]
    public void Step_ThePlainReadAndTheScan_FollowTheMoment(int ms)
    {
        _fixture.Set("moment", "value", AtMoment(UnixNowMs + 1_800_000));

        Step(ms);
        Advance(TimeSpan.FromMinutes(ms < 0 ? 89 : 0));

        bool isLive = ms < 0;
        Assert.Equal(isLive, Store.GetArray("moment"u8) is not null);
        Assert.Equal(isLive, Store.Contains("moment"u8));
        var sink = new KeyListSink();
        for (ulong cursor = Store.Scan(0, 100, ref sink); cursor != 0;)
            cursor = Store.Scan(cursor, 100, ref sink);
        Assert.Equal(isLive ? 1 : 0, sink.Keys.Count);
    }

    [Fact]
    public void Step_Forward_TheSweepRemovesMomentsAndNoIntervals()
    {
        for (int i = 0; i < 100; i++)
        {
            _fixture.Set($"moment {i}", "value", AtMoment(UnixNowMs + 3_600_000));
            _fixture.Set($"interval {i}", "value", ExpiringAt(_fixture.NowMs + 3_600_000));
        }

        _fixture.Clock.Advance(SweepMs);
        Assert.Equal(200, Store.Count);
        Step(3_600_000);
        _fixture.Clock.Advance(SweepMs);

        Assert.Equal(100, Store.Count);
        Store.AssertValid();
        Advance(TimeSpan.FromHours(1));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void Sweep_BackwardAndOn_FindsTheMomentsOfAnOlderSegment()
    {
        _fixture.Set("early", "value", AtMoment(UnixNowMs + 1_000));
        _fixture.Set("late", "value", AtMoment(UnixNowMs + 100_000));
        _fixture.Clock.Advance(SweepMs * 2); // The segment is sealed now, and was swept once.
        Assert.Equal(1, Store.Count);

        Step(-3_600_000);
        Advance(TimeSpan.FromHours(1));
        Assert.Equal(1, Store.Count);
        Advance(TimeSpan.FromSeconds(100));

        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void Info_AfterAStep_TellsTheMomentAsGivenAndTheIntervalAsLeft()
    {
        long unixMs = UnixNowMs + 100_000;
        _fixture.Set("moment", "value", AtMoment(unixMs));
        _fixture.Set("interval", "value", ExpiringAt(_fixture.NowMs + 100_000));

        Step(40_000);

        var moment = _fixture.Peek("moment")!.Value;
        Assert.Equal(unixMs, moment.ExpiresAtUnixMs);
        Assert.Equal(60_000, moment.ExpiresAtMs - _fixture.NowMs);
        var interval = _fixture.Peek("interval")!.Value;
        Assert.Equal(UnixNowMs + 100_000, interval.ExpiresAtUnixMs);
        Assert.Equal(100_000, interval.ExpiresAtMs - _fixture.NowMs);
    }

    [Fact]
    public void Slew_AMoment_NeitherJittersNorDriftsBeyondTheTolerance()
    {
        long unixMs = UnixNowMs + 2_000_000;
        _fixture.Set("moment", "value", AtMoment(unixMs));
        int changes = 0;
        long distanceMs = UnixNowMs - _fixture.NowMs;
        for (int i = 0; i < 1_000; i++)
        {
            _fixture.Clock.Advance(1_000);
            _fixture.Clock.JumpWallClock(TimeSpan.FromMilliseconds(1)); // A thousandth: faster than any time server.
            var info = _fixture.Peek("moment")!.Value;
            Assert.Equal(unixMs, info.ExpiresAtUnixMs);
            Assert.InRange(info.ExpiresAtMs - _fixture.NowMs - (unixMs - UnixNowMs), -ToleranceMs, ToleranceMs);
            if (unixMs - info.ExpiresAtMs != distanceMs)
                changes++;
            distanceMs = unixMs - info.ExpiresAtMs;
        }

        Assert.InRange(changes, 1, 1_000 / ToleranceMs);
    }

    [Theory]
    [InlineData(60_000, true)]
    [InlineData(-60_000, false)]
    public void Expire_WithConditions_ComparesAsTheClocksGoNow(int stepMs, bool isIntervalLater)
    {
        _fixture.Set("key", "value", AtMoment(UnixNowMs + 100_000));

        Step(stepMs);

        long nextMs = _fixture.NowMs + 100_000;
        Assert.Equal(
            isIntervalLater ? WriteStatus.ConditionNotMet : WriteStatus.Done,
            Store.Expire("key"u8, nextMs, ExpireConditions.IfEarlier));
        _fixture.Set("key", "value", ExpiringAt(nextMs));
        Assert.Equal(
            WriteStatus.ConditionNotMet,
            Store.ExpireAtUnixMs("key"u8, UnixNowMs + 99_999, ExpireConditions.IfLater));
        Assert.Equal(
            WriteStatus.Done, Store.ExpireAtUnixMs("key"u8, UnixNowMs + 100_001, ExpireConditions.IfLater));
        Assert.Equal(
            WriteStatus.ConditionNotMet,
            Store.ExpireAtUnixMs("key"u8, UnixNowMs + 100_002, ExpireConditions.IfNone));
    }

    [Fact]
    public void Step_CopiesRenamesAndChangedValues_KeepFollowingTheClock()
    {
        var moment = AtMoment(UnixNowMs + 100_000);
        foreach (string key in new[] { "copied", "renamed", "kept", "added", "appended" })
            _fixture.Set(key, "1", moment);
        _fixture.Set("given", "1");
        var sink = default(ArraySink);

        Store.Copy("copied"u8, Store, "copy"u8, SetCondition.Always);
        Store.Rename("renamed"u8, "new"u8, SetCondition.Always);
        _fixture.Set("kept", "2", new EntryOptions { KeepTtl = true });
        Store.Increment("added"u8, 1, out _);
        Store.Append("appended"u8, "1"u8, out _);
        Assert.True(Store.TryGetAndExpireAtUnixMs("given"u8, moment.ExpiresAtUnixMs, ref sink, out _));
        Step(100_000);

        Assert.Empty(LiveOf("copied", "copy", "new", "kept", "added", "appended", "given"));
    }

    [Fact]
    public void Persist_AMoment_EndsItsBeingFollowed()
    {
        _fixture.Set("key", "value", AtMoment(UnixNowMs + 100_000));

        Assert.Equal(WriteStatus.Done, Store.Persist("key"u8));
        Step(200_000);

        Assert.Equal("value", _fixture.Get("key"));
        Assert.Equal(0, Store.ExpiringCount);
    }

    [Fact]
    public void Sliding_WithAMoment_EndsAtWhicheverComesFirst()
    {
        var options = new EntryOptions { SlidingMs = 10_000, ExpiresAtUnixMs = UnixNowMs + 100_000 };
        _fixture.Set("used", "value", options);
        _fixture.Set("unused", "value", options);

        Step(-100_000);
        for (int i = 0; i < 15; i++)
        {
            _fixture.Clock.Advance(9_000);
            Assert.Equal("value", _fixture.Get("used"));
        }

        Assert.Null(_fixture.Get("unused"));
        Step(100_000);
        Assert.Null(_fixture.Get("used"));
        _fixture.Clock.Advance(SweepMs);
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void Set_WithDeadlineAndMoment_TheEarlierOneCounts()
    {
        _fixture.Set("deadline", "1", AtMoment(UnixNowMs + 2_000) with { ExpiresAtMs = _fixture.NowMs + 1_000 });
        _fixture.Set("moment", "1", AtMoment(UnixNowMs + 1_000) with { ExpiresAtMs = _fixture.NowMs + 2_000 });

        _fixture.Clock.Advance(999);
        Assert.Equal(2, LiveOf("deadline", "moment").Length);
        _fixture.Clock.Advance(1);

        Assert.Empty(LiveOf("deadline", "moment"));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public void Set_AMomentBeforeTime_HasPassed(long ms)
    {
        _fixture.Set("moment", "old");
        _fixture.Set("deadline", "old");

        _fixture.Set("moment", "new", AtMoment(ms));
        _fixture.Set("deadline", "new", ExpiringAt(ms));

        Assert.Equal(0, Store.Count);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(1)]
    public void Set_TheLastMoment_DoesNotOverflow(int hours)
    {
        Step(hours * 3_600_000);

        _fixture.Set("moment", "value", AtMoment(long.MaxValue));
        _fixture.Set("interval", "value", ExpiringAt(long.MaxValue));

        Assert.Equal(2, LiveOf("moment", "interval").Length);
        Assert.Equal(long.MaxValue, _fixture.Peek("moment")!.Value.ExpiresAtUnixMs);
        Assert.InRange(_fixture.Peek("moment")!.Value.ExpiresAtMs, long.MaxValue - 3_600_000, long.MaxValue);
        Assert.InRange(_fixture.Peek("interval")!.Value.ExpiresAtUnixMs, long.MaxValue - 3_600_000, long.MaxValue);
    }

    private static EntryOptions AtMoment(long unixMs) => new() { ExpiresAtUnixMs = unixMs };

    private void SetBoth(int lifeMs)
    {
        _fixture.Set("moment", "value", AtMoment(UnixNowMs + lifeMs));
        _fixture.Set("interval", "value", ExpiringAt(_fixture.NowMs + lifeMs));
    }

    private void Step(int ms) => _fixture.Clock.JumpWallClock(TimeSpan.FromMilliseconds(ms));

    private void Advance(TimeSpan by) => _fixture.Clock.Skip(by);

    private string[] LiveOf(params string[] keys) => [.. keys.Where(key => _fixture.Get(key) is not null)];
}
