using Cache.Core.Contracts;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

/// <summary>Values that are read where they lie. The fixture proves the store whole at the end.</summary>
public sealed class LentValueTests : IDisposable
{
    private const int Length = 300_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void TryGet_OfALargeValue_LendsItAndCopiesNothing()
    {
        Store.Set("key"u8, Filled(Length, 1));

        using var lent = Lend("key", out byte[]? copied);

        Assert.Equal(Filled(Length, 1), lent!.Span.ToArray());
        Assert.Null(copied);
        Assert.Equal(1, Store.GetStatistics().Hits);
    }

    [Fact]
    public void TryGet_OfAShorterValue_Copies()
    {
        Store.Set("short"u8, "value"u8);
        Store.Set("key"u8, Filled(Length, 1));

        Assert.Null(Lend("short", out byte[]? copied));
        Assert.Equal("value"u8.ToArray(), copied);
        Assert.Null(Lend("key", out copied, lentLengthMin: Length + 1));
        Assert.Equal(Filled(Length, 1), copied);
    }

    [Fact]
    public void TryGet_OfNothing_LendsNothing()
    {
        Store.Set("key"u8, Filled(Length, 1), ExpiringAt(_fixture.NowMs + 1));
        _fixture.Clock.Advance(TimeSpan.FromSeconds(1));
        var sink = default(ArraySink);

        Assert.False(Store.TryGet("key"u8, Store.BeginPrefetch("key"u8), ref sink, 0, out var lent));
        Assert.Null(lent);
        Assert.Equal(1, Store.GetStatistics().Misses);
    }

    [Fact]
    public void TryGet_OfASlidingEntry_RenewsIt()
    {
        Store.Set("key"u8, Filled(Length, 1), Sliding(1_000));
        _fixture.Clock.Advance(TimeSpan.FromMilliseconds(600));

        using var lent = Lend("key", out _);

        Assert.Equal(_fixture.NowMs + 1_000, _fixture.Peek("key")!.Value.ExpiresAtMs);
    }

    [Fact]
    public void Lent_WhileItsEntryChangesOrGoes_StaysAsItWas()
    {
        Store.Set("key"u8, Filled(Length, 1));
        using var first = Lend("key", out _);
        Store.SetRange("key"u8, 0, "changed"u8, out _);
        using var second = Lend("key", out _);
        Store.Append("key"u8, "more"u8, out _);
        Store.Set("key"u8, Filled(Length, 3));
        Store.Remove("key"u8);

        Assert.Equal(Filled(Length, 1), first!.Span.ToArray());
        Assert.Equal([.. "changed"u8, .. Filled(Length, 1).AsSpan(7)], second!.Span.ToArray());
    }

    [Fact]
    public void Dispose_OfTheLastReference_GivesTheBytesBack()
    {
        long before = Store.GetStatistics().MemoryBytes;
        Store.Set("key"u8, Filled(Length, 1));
        var lent = Lend("key", out _)!;
        Store.Remove("key"u8);
        long held = Store.GetStatistics().MemoryBytes;

        lent.Dispose();
        lent.Dispose();

        Assert.InRange(held - before, Length, long.MaxValue);
        Assert.InRange(held - Store.GetStatistics().MemoryBytes, Length, Length + 8_192);
        Assert.Throws<ObjectDisposedException>(() => lent.Span.Length);
    }

    [Fact]
    public void Dispose_AfterTheStores_FreesTheValue()
    {
        var store = new CacheStore(new CacheOptions { MemoryLimitBytes = MemoryLimitBytes });
        store.Set("key"u8, Filled(Length, 1));
        var sink = default(ArraySink);
        Assert.True(store.TryGet("key"u8, store.BeginPrefetch("key"u8), ref sink, 0, out var lent));

        store.Dispose();

        Assert.Equal(Filled(Length, 1), lent!.Span.ToArray());
        lent.Dispose();
    }

    [Fact]
    public void Lent_MoreThanTheLimit_OthersAreRefusedRatherThanTheLimitPassed()
    {
        List<LentValue> all = [];
        var status = WriteStatus.Done;
        for (int i = 0; status == WriteStatus.Done; i++)
        {
            Assert.InRange(i, 0, 1_000);
            status = Store.Set("key"u8, Filled(Length, (byte)i));
            if (status == WriteStatus.Done)
                all.Add(Lend("key", out _)!);
            Assert.InRange(Store.GetStatistics().MemoryBytes, 0, MemoryLimitBytes);
        }

        Assert.Equal(WriteStatus.OutOfMemory, status);
        all.ForEach(lent => lent.Dispose());
        Assert.Equal(WriteStatus.Done, Store.Set("key"u8, Filled(Length, 1)));
    }

    private LentValue? Lend(string key, out byte[]? copied, int lentLengthMin = Length)
    {
        var sink = default(ArraySink);
        byte[] bytes = Bytes(key);
        Assert.True(Store.TryGet(bytes, Store.BeginPrefetch(bytes), ref sink, lentLengthMin, out var lent));
        copied = sink.Array;
        return lent;
    }
}
