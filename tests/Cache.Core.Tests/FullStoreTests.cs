using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

/// <summary>
/// What writes report and leave behind in a store that is full to its last segment, and from which nothing may go.
/// </summary>
public sealed class FullStoreTests : IDisposable
{
    private const long LimitBytes = 4 << 20;

    // The limit is kept within two percent.
    private const long LimitAndSlackBytes = LimitBytes + LimitBytes / 50;

    private readonly StoreFixture _fixture = new(options =>
    {
        options.MemoryLimitBytes = LimitBytes;
        options.Eviction = EvictionPolicy.None;
    });

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    /// <summary>
    /// The shortest record of all in a segment of its own: copying it gains nothing, however small that segment is.
    /// </summary>
    [Theory]
    [InlineData(EvictionPolicy.AllEntries)]
    [InlineData(EvictionPolicy.ExpiringEntries)]
    [InlineData(EvictionPolicy.None)]
    public async Task Set_BesideARecordOfEightBytes_EndsInTime(EvictionPolicy eviction)
    {
        using var fixture = new StoreFixture(options =>
        {
            options.MemoryLimitBytes = CacheOptions.MemoryLimitMin;
            options.Eviction = eviction;
        });
        var store = fixture.Store;
        Assert.Equal(WriteStatus.Done, store.Set(default, default));
        // In a segment of another stream; it stays, since its value is asked for.
        Assert.Equal(WriteStatus.Done, store.Set("key"u8, new byte[480_000], ExpiringAt(fixture.NowMs + 1_000)));

        var write = Task.Run(() =>
        {
            var sink = default(ArraySink);
            return store.Set("key"u8, new byte[560_000], default, ref sink, out _);
        });

        var status = await write.WaitAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);
        Assert.Equal(WriteStatus.OutOfMemory, status);
    }

    [Theory]
    [InlineData(5, 900)]
    [InlineData(5, 100_000)]
    [InlineData(5, LimitBytes)]
    [InlineData(900, 2_000)]
    [InlineData(100_000, 200_000)]
    public void Set_WithPreviousValueRefused_ReportsWhatWasThere(int presentLength, int newLength)
    {
        byte[] present = Pattern(presentLength);
        Store.Set("key"u8, present);
        Fill();
        var sink = default(ArraySink);

        var status = Store.Set("key"u8, new byte[newLength], default, ref sink, out bool existed);

        Assert.Equal((WriteStatus.OutOfMemory, true), (status, existed));
        Assert.Equal(present, sink.Array);
        Assert.Equal(present, Store.GetArray("key"u8));
    }

    [Theory]
    [InlineData(900)]
    [InlineData(100_000)]
    public void Set_WithPreviousValueOfAnAbsentKeyRefused_ReportsNone(int newLength)
    {
        Fill();
        var sink = default(ArraySink);

        var status = Store.Set("key"u8, new byte[newLength], default, ref sink, out bool existed);

        Assert.Equal((WriteStatus.OutOfMemory, false), (status, existed));
        Assert.Null(sink.Array);
        Assert.Equal(0, _fixture.Store.GetStatistics().Hits);
    }

    [Theory]
    [InlineData(EvictionPolicy.None, 5)]
    [InlineData(EvictionPolicy.None, 900)]
    [InlineData(EvictionPolicy.None, 100_000)]
    [InlineData(EvictionPolicy.AllEntries, 5)]
    [InlineData(EvictionPolicy.AllEntries, 900)]
    [InlineData(EvictionPolicy.AllEntries, 100_000)]
    public void Append_BeyondTheLimit_KeepsTheOldValue(EvictionPolicy policy, int presentLength)
    {
        byte[] present = Pattern(presentLength);
        Store.Set("key"u8, present);
        Fill();
        Store.Eviction = policy;

        Assert.Equal(WriteStatus.OutOfMemory, Store.Append("key"u8, new byte[LimitBytes], out int length));

        Assert.Equal(presentLength, length);
        Assert.Equal(present, Store.GetArray("key"u8));
    }

    // Far beyond the limit nothing is copied, so what is appended to stays where it is, alone in its segment: that may
    // be looked at for ever, and frees nothing.
    [Theory]
    [InlineData(EvictionPolicy.AllEntries)]
    [InlineData(EvictionPolicy.ExpiringEntries)]
    public async Task Append_FarBeyondALoweredLimit_EvictsTheOthers(EvictionPolicy policy)
    {
        byte[] present = Pattern(900);
        var options = ExpiringAt(_fixture.NowMs + 1_000_000);
        Store.Set("key"u8, present, options);
        int entries = Fill(800, options);
        Store.MemoryLimitBytes = LimitBytes / 2;
        Store.Eviction = policy;

        var appending = Task.Run(
            () => Store.Append("key"u8, new byte[100_000], out _), TestContext.Current.CancellationToken);
        var status = await appending.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);

        Assert.Equal(WriteStatus.Done, status);
        byte[] expected = [.. present, .. new byte[100_000]];
        Assert.Equal(expected, Store.GetArray("key"u8));
        Assert.InRange(Store.GetStatistics().Evictions, entries / 4, entries * 3 / 4);
    }

    [Fact]
    public void Append_BitByBitIntoAFullStore_NeverLosesWhatWasAppended()
    {
        Store.Set("key"u8, ""u8);
        Fill();
        byte[] expected = [];
        int refused = 0;
        for (int i = 0; i < 2_000; i++)
        {
            byte[] part = [(byte)i, (byte)(i >> 8), 0];
            if (Store.Append("key"u8, part, out int length) == WriteStatus.Done)
                expected = [.. expected, .. part];
            else
                refused++;
            Assert.Equal(expected.Length, length);
        }

        Assert.Equal(expected, Store.GetArray("key"u8));
        Assert.InRange(refused, 1, 2_000);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(60)]
    public void Expire_EveryEntry_IsRefusedBeforeTheLimitIsPassedByTwoPercent(int valueLength)
    {
        int entries = Fill(valueLength);
        int done = 0;
        for (int i = 0; i < entries; i++)
        {
            var status = Store.Expire(KeyOf(i), _fixture.NowMs + 1_000_000, ExpireConditions.None);
            Assert.Contains(status, new[] { WriteStatus.Done, WriteStatus.OutOfMemory });
            done += status == WriteStatus.Done ? 1 : 0;
            Assert.Equal(status == WriteStatus.Done, _fixture.Peek($"{i:D8}")!.Value.ExpiresAtMs != 0);
        }

        Assert.InRange(done, 100, entries - 1);
        Assert.Equal((entries, done), (Store.Count, Store.ExpiringCount));
        Assert.InRange(Store.GetStatistics().MemoryPeakBytes, LimitBytes / 2, LimitAndSlackBytes);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(60)]
    public void Persist_EveryEntry_NeedsNoRoom(int valueLength)
    {
        int entries = Fill(valueLength, ExpiringAt(_fixture.NowMs + 1_000_000));
        long before = Store.GetStatistics().MemoryBytes;
        for (int i = 0; i < entries; i++)
            Assert.Equal(WriteStatus.Done, Store.Persist(KeyOf(i)));

        Assert.Equal((entries, 0), (Store.Count, Store.ExpiringCount));
        Assert.Equal(before, Store.GetStatistics().MemoryBytes);
    }

    [Fact]
    public void TryGetAndExpire_WithoutRoom_CopiesNothingAndSaysWhy()
    {
        int entries = Fill(60);
        int refused = 0;
        for (int i = 0; i < entries; i++)
        {
            var sink = default(ArraySink);
            bool done = Store.TryGetAndExpire(KeyOf(i), _fixture.NowMs + 1_000_000, ref sink, out var status);
            Assert.Equal(done ? WriteStatus.Done : WriteStatus.OutOfMemory, status);
            Assert.Equal(done, sink.Array is not null);
            Assert.Equal(done, _fixture.Peek($"{i:D8}")!.Value.ExpiresAtMs != 0);
            refused += done ? 0 : 1;
        }

        Assert.InRange(refused, 1, entries - 100);
        var none = default(ArraySink);
        Assert.False(Store.TryGetAndExpire("absent"u8, 0, ref none, out var absent));
        Assert.Equal(WriteStatus.NotFound, absent);
    }

    private int Fill(int valueLength = 800, in EntryOptions options = default)
    {
        int written = 0;
        while (Store.Set(KeyOf(written), new byte[valueLength], options) == WriteStatus.Done)
            written++;
        // Of another key there may be room: for this one, a page of the index may be what is missing.
        Assert.Equal(WriteStatus.OutOfMemory, Store.Set(KeyOf(written), new byte[valueLength], options));
        return written;
    }

    private static byte[] KeyOf(int i) => Bytes($"{i:D8}");

    private static byte[] Pattern(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = (byte)(i * 31 + (i >> 8));
        return bytes;
    }
}
