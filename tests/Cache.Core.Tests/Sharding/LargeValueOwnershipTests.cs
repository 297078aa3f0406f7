using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Values that are written where they will stay. The fixture proves the store whole at the end.</summary>
public sealed class LargeValueOwnershipTests : IDisposable
{
    private const int Length = 300_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Set_Filled_IsTheEntry()
    {
        long before = Store.GetStatistics().MemoryBytes;
        using var value = Create(1);
        Assert.Equal(before, Store.GetStatistics().MemoryBytes);

        Assert.Equal(WriteStatus.Done, Store.Set("key"u8, value, ExpiringAt(_fixture.NowMs + 100)));

        Assert.Equal(Filled(Length, 1), Store.GetArray("key"u8));
        Assert.Equal(_fixture.NowMs + 100, _fixture.Peek("key")!.Value.ExpiresAtMs);
        Assert.InRange(Store.GetStatistics().MemoryBytes - before, Length, Length + 70_000);
    }

    [Fact]
    public void Set_OverAnother_LeavesOne()
    {
        for (byte i = 0; i < 100; i++)
        {
            using var value = Create(i);
            Assert.Equal(WriteStatus.Done, Store.Set("key"u8, value, default));
        }

        Assert.Equal(Filled(Length, 99), Store.GetArray("key"u8));
        Assert.InRange(Store.GetStatistics().MemoryBytes, Length, 3 << 20);
    }

    [Fact]
    public void Set_Twice_Throws()
    {
        using var value = Create(1);
        Store.Set("key"u8, value, default);

        Assert.Throws<ObjectDisposedException>(() => Store.Set("other"u8, value, default));
        Assert.Throws<ObjectDisposedException>(() => value.Span.Length);
        Assert.Equal(1, Store.Count);
    }

    [Fact]
    public void Set_OfAnotherStore_ThrowsAndKeepsIt()
    {
        using var other = new StoreFixture();
        using var value = Create(1);

        Assert.Throws<ArgumentException>(() => other.Store.Set("key"u8, value, default));
        Assert.Equal(Length, value.Span.Length);
    }

    [Theory]
    [InlineData(SetCondition.IfPresent, 0)]
    [InlineData(SetCondition.Always, 1)]
    public void Set_ThatMakesNoEntry_HoldsNothing(SetCondition condition, long expiresAtMs)
    {
        long before = Store.GetStatistics().MemoryBytes;
        using var value = Create(1);

        Store.Set("key"u8, value, new EntryOptions { Condition = condition, ExpiresAtMs = expiresAtMs });

        Assert.Equal(0, Store.Count);
        Assert.InRange(Store.GetStatistics().MemoryBytes - before, 0, 70_000);
    }

    [Fact]
    public void Set_WithoutRoom_IsRefused()
    {
        Store.Eviction = EvictionPolicy.None;
        for (int i = 0; Store.Set(Bytes($"{i}"), new byte[Length]) == WriteStatus.Done; i++)
            Assert.InRange(i, 0, 1_000);
        long before = Store.GetStatistics().MemoryBytes;
        long refused = Store.GetStatistics().RefusedWrites;
        using var value = Create(1);

        Assert.Equal(WriteStatus.OutOfMemory, Store.Set("key"u8, value, default));

        Assert.Equal(before, Store.GetStatistics().MemoryBytes);
        Assert.Equal(refused + 1, Store.GetStatistics().RefusedWrites);
    }

    [Fact]
    public void Set_KeyTooLong_IsRefused()
    {
        using var value = Create(1);

        Assert.Equal(WriteStatus.KeyTooLong, Store.Set(new byte[CacheStore.KeyLengthMax + 1], value, default));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    [InlineData(-1)]
    [InlineData(int.MaxValue)]
    public void TryCreateValue_LengthsThatLieElsewhere_MakesNone(int length)
    {
        Assert.False(Store.TryCreateValue(length, out var value));
        Assert.Null(value);
    }

    [Fact]
    public void Dispose_AfterTheStore_IsHarmless()
    {
        var fixture = new StoreFixture();
        Assert.True(fixture.Store.TryCreateValue(Length, out var value));
        fixture.Dispose();

        value.Dispose();
        value.Dispose();
    }

    private LargeValue Create(byte fill)
    {
        Assert.True(Store.TryCreateValue(Length, out var value));
        value.Span.Fill(fill);
        return value;
    }
}
