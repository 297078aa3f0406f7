using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Expiry;

/// <summary>What has expired goes before what lives, between two sweeps as well.</summary>
public sealed class ExpiredFirstTests
{
    private const long LimitBytes = 16 << 20;
    private const int Count = 62_000; // Nearly as many as the limit allows.
    private const int SoonMs = 50; // Before the next sweep.
    private const int LaterMs = 1_000_000;
    private const int MostOfThemDivisor = 10; // New ones take the room of nine tenths of those that have expired.

    private static readonly byte[] _value = new byte[200];

    /// <summary>Which entries expire soon, which later, and which never.</summary>
    public enum Spread
    {
        AmongLasting,
        AmongLater,
        Consecutive,
    }

    [Theory]
    [InlineData(Spread.AmongLasting, 2)]
    [InlineData(Spread.AmongLasting, 3)]
    [InlineData(Spread.AmongLasting, 5)]
    [InlineData(Spread.AmongLater, 2)]
    [InlineData(Spread.AmongLater, 3)]
    [InlineData(Spread.Consecutive, 2)]
    [InlineData(Spread.Consecutive, 5)]
    public void Set_AfterOthersExpired_EvictsNoneThatLives(Spread spread, int every)
    {
        foreach (int waitMs in (int[])[SoonMs + 10, SoonMs + 100])
        {
            using var fixture = Filled(EvictionPolicy.AllEntries, spread, every);
            fixture.Clock.Advance(TimeSpan.FromMilliseconds(waitMs));
            int expired = Count / every;
            SetNew(fixture, expired - expired / MostOfThemDivisor, WriteStatus.Done);
            Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
        }
    }

    // Each segment has a tenth that has expired: that is less than copying the rest is worth, but it is found.
    [Fact]
    public void Set_AfterFewOfEachSegmentExpired_FindsThem()
    {
        using var fixture = Filled(EvictionPolicy.AllEntries, Spread.AmongLater, 10);
        fixture.Clock.Advance(TimeSpan.FromMilliseconds(SoonMs + 10));
        SetNew(fixture, Count / 10, WriteStatus.Done);
        var statistics = fixture.Store.GetStatistics();
        Assert.InRange(statistics.Expirations, Count / 100, Count / 10);
        Assert.InRange(statistics.Evictions, 0, Count / 10 / 2);
    }

    [Theory]
    [InlineData(EvictionPolicy.None)]
    [InlineData(EvictionPolicy.ExpiringEntries)]
    public void Set_UnderAPolicyThatEvictsLess_HasTheRoomOfWhatExpired(EvictionPolicy policy)
    {
        using var fixture = Filled(policy, Spread.AmongLater, 2);
        fixture.Clock.Advance(TimeSpan.FromMilliseconds(SoonMs + 10));
        SetNew(fixture, Count / 3, WriteStatus.Done);
        Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
    }

    // The first segments have too little for copying the rest of them; the last ones have all that is needed.
    [Fact]
    public void Set_WhereNothingMayBeEvicted_LooksThroughAllBeforeItIsRefused()
    {
        using var fixture = new StoreFixture(o =>
        {
            o.MemoryLimitBytes = LimitBytes;
            o.Eviction = EvictionPolicy.None;
        });
        long soonMs = fixture.NowMs + SoonMs;
        for (int i = 0; i < Count; i++)
            Set(fixture, $"key:{i:d8}", i >= Count * 3 / 4 || i % 40 == 0 ? soonMs : soonMs + LaterMs);
        fixture.Clock.Advance(TimeSpan.FromMilliseconds(SoonMs + 10));
        SetNew(fixture, Count / 5, WriteStatus.Done);
    }

    // A refused write must not take as long as a look at all that there is, each time that a sweep has ended.
    [Fact]
    public void Set_WhereNothingMayBeEvicted_LooksAtNoMoreThanASweepDoes()
    {
        using var fixture = new StoreFixture(o =>
        {
            o.MemoryLimitBytes = LimitBytes;
            o.Eviction = EvictionPolicy.None;
        });
        fixture.Store.State.Reclaimer.LooksInVain = 1;
        fixture.Clock.Advance(TimeSpan.FromMilliseconds(100));
        FillUp(fixture, i => fixture.NowMs + (i % 40 == 0 ? SoonMs : LaterMs));
        fixture.Clock.Advance(TimeSpan.FromMilliseconds(SoonMs + 10));
        for (int i = 0; i < 10; i++)
            Assert.Equal(WriteStatus.OutOfMemory, fixture.Store.Set(Bytes("new"), _value));
        Assert.InRange(fixture.Store.GetStatistics().Expirations, 1, 20); // Of a segment.
    }

    // Something has expired in each segment, and all of those that the sweep comes to next.
    [Fact]
    public void Set_WhereNothingMayBeEvicted_LooksFirstWhereASweepEnded()
    {
        const int Ticks = 150;
        using var fixture = new StoreFixture(o =>
        {
            o.MemoryLimitBytes = LimitBytes;
            o.Eviction = EvictionPolicy.None;
        });
        fixture.Store.State.Reclaimer.LooksInVain = 1;
        long endMs = fixture.NowMs + Ticks * 100;
        FillUp(fixture, i => (i % 40) switch
        {
            0 => fixture.NowMs + SoonMs,
            1 => endMs - SoonMs,
            _ when i > Count / 2 => endMs + SoonMs,
            _ => endMs + LaterMs,
        });
        fixture.Clock.Advance(TimeSpan.FromMilliseconds((Ticks - 1) * 100));
        while (fixture.Store.Set(Bytes($"more:{fixture.Store.Count}"), _value) == WriteStatus.Done)
        {
        }

        fixture.Clock.Advance(TimeSpan.FromMilliseconds(100 + SoonMs + 10));
        SetNew(fixture, 100, WriteStatus.Done);
    }

    [Fact]
    public void Sweep_MomentsOfFields_GoesOnWhereTheLastEnded()
    {
        const int Ticks = 400;
        using var fixture = new StoreFixture(o => o.MemoryLimitBytes = LimitBytes);
        fixture.Store.State.Reclaimer.LooksInVain = 1;
        var random = new Random(7);
        SetFields(fixture, Count, _ => random.Next(1, Ticks * 100));
        long most = 0;
        for (int tick = 1; tick <= Ticks; tick++)
        {
            fixture.Clock.Advance(TimeSpan.FromMilliseconds(100));
            long due = (long)Count * tick / Ticks;
            most = Math.Max(most, due - (Count - fixture.Store.Count));
        }

        Assert.InRange(most, Count / Ticks, Count / 10);
        Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
    }

    [Fact]
    public void Sweep_FieldsOfManyHashesOfASegment_RemovesMoreThanAFew()
    {
        const int Hashes = 2_000;
        using var fixture = new StoreFixture(o => o.MemoryLimitBytes = 512 << 20);
        SetFields(fixture, Hashes, _ => SoonMs);
        fixture.Clock.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Equal(0, fixture.Store.Count);
    }

    // Each attempt may cost an exception.
    [Fact]
    public void Sweep_FieldsThatCannotBeRemovedNow_TriesOneOfASegment()
    {
        const int Hashes = 200;
        int tries = 0;
        using var fixture = new StoreFixture(o => o.MemoryLimitBytes = 512 << 20);
        fixture.Store.State.Reclaimer.FieldRemover = (_, _) =>
        {
            tries++;
            return false;
        };
        SetFields(fixture, Hashes, _ => SoonMs);
        fixture.Clock.Advance(TimeSpan.FromMilliseconds(200));
        Assert.Equal(2, tries);
    }

    // What a sweep may look at is less than a segment: after it comes the next.
    [Fact]
    public void Sweep_DeadlinesInEachSegment_GoesOnWhereTheLastEnded()
    {
        const int Ticks = 400;
        using var fixture = new StoreFixture(o => o.MemoryLimitBytes = LimitBytes);
        fixture.Store.State.Reclaimer.LooksInVain = 1;
        var random = new Random(7);
        for (int i = 0; i < Count; i++)
            Set(fixture, $"key:{i:d8}", fixture.NowMs + random.Next(1, Ticks * 100));
        long most = 0;
        for (int tick = 1; tick <= Ticks; tick++)
        {
            fixture.Clock.Advance(TimeSpan.FromMilliseconds(100));
            long due = (long)Count * tick / Ticks;
            most = Math.Max(most, due - fixture.Store.GetStatistics().Expirations);
        }

        // A sixteenth of those that are there, and what the last step before it found too early.
        Assert.InRange(most, Count / Ticks, Count / 10);
        for (int i = 0; i < Ticks; i++)
            fixture.Clock.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Equal(0, fixture.Store.Count);
    }

    [Fact]
    public void Sweep_AllAreDue_RemovesAll()
    {
        using var fixture = Filled(EvictionPolicy.AllEntries, Spread.Consecutive, 2);
        fixture.Store.State.Reclaimer.LooksInVain = 1;
        fixture.Clock.Advance(TimeSpan.FromMilliseconds(SoonMs + 100));
        Assert.Equal(Count / 2, fixture.Store.Count);
    }

    private static StoreFixture Filled(EvictionPolicy policy, Spread spread, int every)
    {
        var fixture = new StoreFixture(o =>
        {
            o.MemoryLimitBytes = LimitBytes;
            o.Eviction = policy;
        });
        long soonMs = fixture.NowMs + SoonMs;
        long otherMs = spread == Spread.AmongLater ? fixture.NowMs + LaterMs : 0;
        for (int i = 0; i < Count; i++)
        {
            bool expires = spread == Spread.Consecutive ? i < Count / every : i % every == 0;
            Set(fixture, $"key:{i:d8}", expires ? soonMs : otherMs);
        }

        Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
        return fixture;
    }

    private static void SetFields(StoreFixture fixture, int hashes, Func<int, int> expiresInMs)
    {
        for (int i = 0; i < hashes; i++)
        {
            var hash = fixture.Store.Hash(Bytes($"key:{i:d8}"));
            Assert.Equal(WriteStatus.Done, hash.Set("f"u8, _value.AsSpan(50), SetCondition.Always, out _));
            Assert.Equal(WriteStatus.Done, hash.Expire("f"u8, fixture.Store.NowUnixMs + expiresInMs(i)));
        }
    }

    private static void FillUp(StoreFixture fixture, Func<int, long> expiresAtMs)
    {
        int i = 0;
        while (fixture.Store.Set(Bytes($"key:{i:d8}"), _value, ExpiringAt(expiresAtMs(i))) == WriteStatus.Done)
            i++;
    }

    private static void SetNew(StoreFixture fixture, int count, WriteStatus expected)
    {
        for (int i = 0; i < count; i++)
            Assert.Equal(expected, fixture.Store.Set(Bytes($"new:{i:d8}"), _value));
    }

    private static void Set(StoreFixture fixture, string key, long expiresAtMs) =>
        Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes(key), _value, ExpiringAt(expiresAtMs)));
}
