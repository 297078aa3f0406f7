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
    public void Memory_OfALentValue_IsWhereTheValueLies()
    {
        Store.Set("key"u8, Filled(Length, 1));
        var lent = Lend("key", out _)!;
        var memory = lent.Memory;

        Assert.Equal(Length, memory.Length);
        Assert.True(memory.Span == lent.Span);
        string path = Path.GetTempFileName();
        using (var file = File.OpenHandle(path, FileMode.Open, FileAccess.Write))
            RandomAccess.Write(file, [memory[5..], memory[..5]], fileOffset: 0); // The system writes pinned memory.
        Assert.Equal((byte[])[.. lent.Span[5..], .. lent.Span[..5]], File.ReadAllBytes(path));
        File.Delete(path);

        lent.Dispose();
        Assert.Throws<ObjectDisposedException>(() => lent.Memory);
    }

    // The block may hold another value by then.
    [Fact]
    public void Memory_ThatOutlivesItsLentValue_RefusesToBeRead()
    {
        Store.Set("key"u8, Filled(Length, 1));
        var lent = Lend("key", out _)!;
        var memory = lent.Memory;
        var part = memory.Slice(5, 10);

        lent.Dispose();

        Assert.Equal(Length, memory.Length);
        Assert.Throws<ObjectDisposedException>(() => memory.Span.Length);
        Assert.Throws<ObjectDisposedException>(() => part.Span.Length);
        Assert.Throws<ObjectDisposedException>(() => part.Pin());
    }

    // Evicting the entries of lent values frees nothing: what is longer than the rest is refused, and nothing goes.
    [Fact]
    public void Set_OfAValueTooLongForWhatIsLent_IsRefusedAndEvictsNothing()
    {
        var lent = Enumerable.Range(0, 11).Select(i =>
        {
            Store.Set(Bytes($"big{i}"), new byte[1 << 20]);
            return Lend($"big{i}", out _);
        }).ToArray();
        for (int i = 0; i < 20_000; i++)
            Store.Set(Bytes($"small{i}"), new byte[60]);
        long count = Store.Count;

        Assert.Equal(WriteStatus.OutOfMemory, Store.Set("long"u8, new byte[5 << 20]));
        Assert.Equal(count, Store.Count);
        Assert.Equal(WriteStatus.Done, Store.Set("long"u8, new byte[3 << 20]));

        foreach (var value in lent)
            value!.Dispose();
        Assert.Equal(WriteStatus.Done, Store.Set("long"u8, new byte[12 << 20]));
    }

    // Two entries of one block, both gone while it is lent: its bytes are counted once, and until it comes back.
    [Fact]
    public void LentValue_OfCopiedAndRemovedEntries_CountsUntilItIsDisposed()
    {
        Store.Set("key"u8, Filled(Length, 1));
        Assert.Equal(WriteStatus.Done, Store.Copy("key"u8, Store, "copy"u8, SetCondition.Always));
        long before = Store.GetStatistics().MemoryBytes;
        using (var one = Lend("key", out _))
        using (var other = Lend("copy", out _))
        {
            Store.Remove("key"u8);
            Store.Remove("copy"u8);
            Assert.InRange(Store.GetStatistics().MemoryBytes, Length, before);
            Assert.Equal(Filled(Length, 1), other!.Span.ToArray());
            for (int i = 0; i < 100; i++)
                Assert.Equal(WriteStatus.Done, Store.Set(Bytes($"{i}"), new byte[Length]));
        }

        Assert.Equal(WriteStatus.Done, Store.Set("long"u8, new byte[14 << 20]));
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
