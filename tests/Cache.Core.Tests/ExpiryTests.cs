using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

public sealed class ExpiryTests : IDisposable
{
    // Within this time expired entries are gone though nobody asks for them.
    private const int SweepMs = 5_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Set_WithExpiry_LivesUntilTheMillisecondBefore()
    {
        _fixture.Set("key", "value", ExpiringAt(_fixture.NowMs + 100));

        _fixture.Clock.Advance(99);
        Assert.Equal("value", _fixture.Get("key"));
        _fixture.Clock.Advance(1);
        Assert.Null(_fixture.Get("key"));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void TryGet_LastMomentBetweenTwoSweeps_IsAMiss()
    {
        _fixture.Set("key", "value", ExpiringAt(_fixture.NowMs + 50));

        _fixture.Clock.Advance(49);
        Assert.Equal("value", _fixture.Get("key"));
        _fixture.Clock.Advance(1);
        Assert.Null(_fixture.Get("key"));
    }

    [Fact]
    public void Sliding_LongerThanTimeItself_DoesNotExpire()
    {
        _fixture.Set("key", "value", Sliding(long.MaxValue));

        _fixture.Clock.Advance(10_000);
        Assert.Equal("value", _fixture.Get("key"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(-1_000_000)]
    public void Set_MomentThatHasPassed_RemovesWhatWasThere(int offsetMs)
    {
        _fixture.Set("key", "old");

        Assert.Equal(WriteStatus.Done, _fixture.Set("key", "new", ExpiringAt(_fixture.NowMs + offsetMs)));
        Assert.Null(_fixture.Get("key"));
        Assert.Equal(WriteStatus.Done, _fixture.Set("other", "new", ExpiringAt(_fixture.NowMs + offsetMs)));
        Assert.Null(_fixture.Get("other"));
    }

    [Fact]
    public void Set_ExpiredEntry_CountsAsAbsent()
    {
        _fixture.Set("key", "old", ExpiringAt(_fixture.NowMs + 10));
        _fixture.Clock.Advance(10);

        Assert.Equal(
            WriteStatus.ConditionNotMet,
            _fixture.Set("key", "new", new EntryOptions { Condition = SetCondition.IfPresent }));
        Assert.Equal(
            WriteStatus.Done, _fixture.Set("key", "new", new EntryOptions { Condition = SetCondition.IfAbsent }));
        Assert.Equal("new", _fixture.Get("key"));
    }

    [Fact]
    public void EveryOperation_ExpiredEntry_FindsNone()
    {
        var sink = default(ArraySink);
        for (int i = 0; i < 12; i++)
            _fixture.Set($"{i}", "1", ExpiringAt(_fixture.NowMs + 10));
        _fixture.Clock.Advance(10);

        Assert.False(Store.Contains("0"u8));
        Assert.False(Store.TryPeekInfo("1"u8, out _));
        Assert.False(Store.Remove("2"u8));
        Assert.False(Store.TryRemove("3"u8, ref sink));
        Assert.Equal(WriteStatus.NotFound, Store.Expire("4"u8, _fixture.NowMs + 1_000, ExpireConditions.None));
        Assert.Equal(WriteStatus.NotFound, Store.Persist("5"u8));
        Assert.Equal(WriteStatus.NotFound, Store.Rename("6"u8, "x"u8, SetCondition.Always));
        Assert.Equal(WriteStatus.NotFound, Store.Copy("7"u8, Store, "x"u8, SetCondition.Always));
        Store.Increment("8"u8, 1, out long sum);
        Assert.Equal(1, sum);
        Store.Append("9"u8, "ab"u8, out int length);
        Assert.Equal(2, length);
        Store.Set("10"u8, "new"u8, default, ref sink, out bool existed);
        Assert.False(existed);
        Assert.False(Store.TryGetAndExpire("11"u8, 0, ref sink));
        Assert.Null(sink.Array);
    }

    [Fact]
    public void Set_WithoutKeepTtl_TakesTheExpiryAway()
    {
        _fixture.Set("key", "old", ExpiringAt(_fixture.NowMs + 10));
        _fixture.Set("key", "new");

        _fixture.Clock.Advance(20);

        Assert.Equal("new", _fixture.Get("key"));
    }

    [Fact]
    public void Set_KeepTtl_KeepsTheMomentOrStartsAnew()
    {
        long expiresAtMs = _fixture.NowMs + 100;
        _fixture.Set("key", "old", ExpiringAt(expiresAtMs));

        _fixture.Set("key", "new", new EntryOptions { KeepTtl = true });
        _fixture.Set("absent", "new", new EntryOptions { KeepTtl = true, ExpiresAtMs = expiresAtMs + 1 });

        Assert.Equal(expiresAtMs, _fixture.Peek("key")!.Value.ExpiresAtMs);
        Assert.Equal(expiresAtMs + 1, _fixture.Peek("absent")!.Value.ExpiresAtMs);
    }

    [Fact]
    public void Writes_OfAPart_KeepTheExpiry()
    {
        long expiresAtMs = _fixture.NowMs + 100;
        _fixture.Set("key", "1", ExpiringAt(expiresAtMs));

        Store.Increment("key"u8, 1, out _);
        Store.Append("key"u8, "0"u8, out _);
        Store.SetRange("key"u8, 50, "0"u8, out _);

        Assert.Equal(expiresAtMs, _fixture.Peek("key")!.Value.ExpiresAtMs);
    }

    [Fact]
    public void Sliding_EachRead_RenewsTheInterval()
    {
        _fixture.Set("key", "value", Sliding(100));

        for (int i = 0; i < 5; i++)
        {
            _fixture.Clock.Advance(99);
            Assert.Equal("value", _fixture.Get("key"));
        }

        Assert.Equal((100L, _fixture.NowMs + 100), ExpiryOf("key"));
        _fixture.Clock.Advance(100);
        Assert.Null(_fixture.Get("key"));
    }

    // A 128th of it, less the tick that the time of reads may be late by.
    [Fact]
    public void Sliding_ReadWithinTheFirstPartOfTheInterval_WritesNothing()
    {
        _fixture.Set("key", "value", Sliding(12_800));
        long expiresAtMs = _fixture.Peek("key")!.Value.ExpiresAtMs;
        var version = _fixture.Peek("key")!.Value.Version;

        _fixture.Clock.Advance(90);
        Assert.Equal("value", _fixture.Get("key"));
        Assert.True(Store.Contains("key"u8));
        Assert.Equal(expiresAtMs, _fixture.Peek("key")!.Value.ExpiresAtMs);
        Assert.Equal(version, _fixture.Peek("key")!.Value.Version);

        _fixture.Clock.Advance(1);
        Assert.Equal("value", _fixture.Get("key"));
        Assert.Equal(expiresAtMs + 91, _fixture.Peek("key")!.Value.ExpiresAtMs);
    }

    [Fact]
    public void Sliding_Contains_RenewsAndPeekDoesNot()
    {
        _fixture.Set("key", "value", Sliding(100));
        _fixture.Clock.Advance(60);
        Assert.True(Store.Contains("key"u8));
        _fixture.Clock.Advance(60);
        Assert.NotNull(_fixture.Peek("key"));
        _fixture.Clock.Advance(40);

        Assert.Null(_fixture.Peek("key"));
    }

    [Fact]
    public void Sliding_WithAbsoluteExpiry_NeverOutlivesIt()
    {
        _fixture.Set("key", "value", Sliding(100, _fixture.NowMs + 250));

        _fixture.Clock.Advance(90);
        Assert.NotNull(_fixture.Get("key"));
        _fixture.Clock.Advance(90);
        Assert.NotNull(_fixture.Get("key"));
        _fixture.Clock.Advance(69);
        Assert.NotNull(_fixture.Get("key"));
        _fixture.Clock.Advance(1);
        Assert.Null(_fixture.Get("key"));
    }

    [Fact]
    public void Sliding_LongerThanAbsolute_ExpiresAtTheAbsoluteMoment()
    {
        _fixture.Set("key", "value", Sliding(long.MaxValue / 4, _fixture.NowMs + 10));

        _fixture.Clock.Advance(10);

        Assert.Null(_fixture.Get("key"));
    }

    [Fact]
    public void Sliding_ExpireOrPersist_EndsIt()
    {
        _fixture.Set("expire", "value", Sliding(100));
        _fixture.Set("persist", "value", Sliding(100));

        Store.Expire("expire"u8, _fixture.NowMs + 300, ExpireConditions.None);
        Store.Persist("persist"u8);

        Assert.Equal((0L, _fixture.NowMs + 300), ExpiryOf("expire"));
        Assert.Equal((0L, 0L), ExpiryOf("persist"));
    }

    // present: −1 none, else milliseconds from now.
    [Theory]
    [InlineData(-1, ExpireConditions.IfNone, true)]
    [InlineData(100, ExpireConditions.IfNone, false)]
    [InlineData(-1, ExpireConditions.IfAny, false)]
    [InlineData(100, ExpireConditions.IfAny, true)]
    [InlineData(-1, ExpireConditions.IfLater, false)]
    [InlineData(100, ExpireConditions.IfLater, true)]
    [InlineData(200, ExpireConditions.IfLater, false)]
    [InlineData(300, ExpireConditions.IfLater, false)]
    [InlineData(-1, ExpireConditions.IfEarlier, true)]
    [InlineData(100, ExpireConditions.IfEarlier, false)]
    [InlineData(200, ExpireConditions.IfEarlier, false)]
    [InlineData(300, ExpireConditions.IfEarlier, true)]
    [InlineData(100, ExpireConditions.IfAny | ExpireConditions.IfLater, true)]
    [InlineData(-1, ExpireConditions.IfAny | ExpireConditions.IfEarlier, false)]
    public void Expire_In200Milliseconds_HoldsToItsConditions(int present, ExpireConditions conditions, bool done)
    {
        _fixture.Set("key", "value", ExpiringAt(present < 0 ? 0 : _fixture.NowMs + present));
        long before = _fixture.Peek("key")!.Value.ExpiresAtMs;

        var status = Store.Expire("key"u8, _fixture.NowMs + 200, conditions);

        Assert.Equal(done ? WriteStatus.Done : WriteStatus.ConditionNotMet, status);
        Assert.Equal(done ? _fixture.NowMs + 200 : before, _fixture.Peek("key")!.Value.ExpiresAtMs);
        Assert.Equal("value", _fixture.Get("key"));
    }

    [Fact]
    public void Expire_MomentThatHasPassed_Removes()
    {
        _fixture.Set("key", "value");

        Assert.Equal(WriteStatus.Done, Store.Expire("key"u8, _fixture.NowMs, ExpireConditions.None));
        Assert.Null(_fixture.Get("key"));
        Assert.Equal(WriteStatus.NotFound, Store.Expire("key"u8, _fixture.NowMs, ExpireConditions.None));
    }

    [Fact]
    public void Persist_WithAndWithoutExpiry_ReportsWhich()
    {
        _fixture.Set("key", "value", ExpiringAt(_fixture.NowMs + 10));

        Assert.Equal(WriteStatus.Done, Store.Persist("key"u8));
        Assert.Equal(WriteStatus.ConditionNotMet, Store.Persist("key"u8));
        Assert.Equal(WriteStatus.NotFound, Store.Persist("absent"u8));
        _fixture.Clock.Advance(20);
        Assert.Equal("value", _fixture.Get("key"));
    }

    [Fact]
    public void Sweep_NobodyAsks_RemovesWhatExpired()
    {
        const int Expiring = 20_000;
        for (int i = 0; i < Expiring; i++)
            _fixture.Set($"goes:{i}", "value", ExpiringAt(_fixture.NowMs + 1_000 + i % 100));
        for (int i = 0; i < 100; i++)
            _fixture.Set($"stays:{i}", "value", i % 2 == 0 ? default : ExpiringAt(_fixture.NowMs + 1_000_000));
        long before = Store.GetStatistics().MemoryBytes;

        _fixture.Clock.Advance(1_100);
        for (int ms = 0; ms < SweepMs; ms += 10)
            _fixture.Clock.Advance(10);

        var statistics = Store.GetStatistics();
        Assert.Equal((100, 50), (statistics.Count, statistics.ExpiringCount));
        Assert.Equal(Expiring, statistics.Expirations);
        Assert.True(statistics.MemoryBytes < before / 2, $"{statistics.MemoryBytes} bytes of {before} are still held.");
    }

    [Theory]
    [InlineData(-1_000_000)]
    [InlineData(1_000_000)]
    public void WallClock_Jumps_ChangesNothing(int seconds)
    {
        _fixture.Set("key", "value", ExpiringAt(_fixture.NowMs + 100));
        long before = _fixture.NowMs;

        _fixture.Clock.JumpWallClock(TimeSpan.FromSeconds(seconds));

        Assert.Equal(before, _fixture.NowMs);
        Assert.Equal("value", _fixture.Get("key"));
        _fixture.Clock.Advance(100);
        Assert.Null(_fixture.Get("key"));
    }

    private (long SlidingMs, long ExpiresAtMs) ExpiryOf(string key)
    {
        var info = _fixture.Peek(key)!.Value;
        return (info.SlidingMs, info.ExpiresAtMs);
    }
}
