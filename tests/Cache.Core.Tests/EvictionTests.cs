using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

public sealed class EvictionTests
{
    private const long LimitBytes = 4 << 20;

    // The limit is kept within two percent.
    private const long LimitAndSlackBytes = LimitBytes + LimitBytes / 50;

    [Theory]
    [InlineData(10)]
    [InlineData(500)]
    [InlineData(20_000)]
    [InlineData(300_000)]
    public void Set_FarMoreThanTheLimit_StaysWithinIt(int valueLength)
    {
        using var fixture = Limited(EvictionPolicy.AllEntries);
        byte[] value = new byte[valueLength];
        long writes = 5 * LimitBytes / (valueLength + 100);
        for (int i = 0; i < writes; i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"key:{i}"), value));

        var statistics = fixture.Store.GetStatistics();
        Assert.InRange(statistics.MemoryPeakBytes, LimitBytes / 2, LimitAndSlackBytes);
        Assert.Equal(writes, statistics.Count + statistics.Evictions);
        Assert.Equal(LimitBytes, statistics.MemoryLimitBytes);
        Assert.NotNull(fixture.Get($"key:{writes - 1}"));
    }

    [Fact]
    public void Set_EntriesThatNobodyReads_EvictTheOldestFirst()
    {
        const int Written = 12_000;
        using var fixture = Limited(EvictionPolicy.AllEntries);
        for (int i = 0; i < Written; i++)
            fixture.Set($"key:{i}", new string('x', 1_000));

        int Present(int first, int count) =>
            Enumerable.Range(first, count).Count(i => fixture.Peek($"key:{i}") is not null);
        // The 15 bits of a ghost may be another key's, which then comes into main: one of some thousands.
        Assert.InRange(Present(0, Written / 2), 0, Written / 2 / 1_000);
        Assert.Equal(Written / 6, Present(Written - Written / 6, Written / 6));
    }

    [Fact]
    public void Set_EntriesUsedLongAgo_GoInTheEnd()
    {
        const int Old = 50;
        using var fixture = Limited(EvictionPolicy.AllEntries);
        for (int i = 0; i < Old; i++)
            fixture.Set($"old:{i}", new string('x', 1_000));

        // Used while they come into main and once they are there; afterwards only others are.
        int Present(int news)
        {
            for (int i = 0; i < news; i++)
            {
                fixture.Set($"new:{news}:{i}", new string('x', 1_000));
                fixture.Get($"new:{news}:{i}");
                fixture.Get($"new:{news}:{i}");
                for (int old = 0; old < Old && news < 10_000; old++)
                    fixture.Get($"old:{old}");
            }

            return Enumerable.Range(0, Old).Count(i => fixture.Peek($"old:{i}") is not null);
        }

        Assert.Equal(Old, Present(8_000));
        Assert.Equal(0, Present(60_000));
    }

    [Fact]
    public void Set_SizesThatChange_StayWithinTheLimit()
    {
        using var fixture = Limited(EvictionPolicy.AllEntries);
        for (int i = 0; i < 40_000; i++)
        {
            int length = i * 7919 % 3_000;
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"key:{i % 2_500}"), new byte[length]));
            Assert.Equal(length, fixture.Peek($"key:{i % 2_500}")!.Value.Length);
        }

        Assert.InRange(fixture.Store.GetStatistics().MemoryPeakBytes, LimitBytes / 2, LimitAndSlackBytes);
    }

    [Fact]
    public void Append_EntriesThatGrowPastTheLimit_EvictOthers()
    {
        using var fixture = Limited(EvictionPolicy.AllEntries);
        for (int round = 0; round < 40; round++)
        {
            for (int i = 0; i < 100; i++)
                Assert.Equal(WriteStatus.Done, fixture.Store.Append(Bytes($"key:{i}"), new byte[2_000], out _));
        }

        var statistics = fixture.Store.GetStatistics();
        Assert.InRange(statistics.MemoryPeakBytes, LimitBytes / 2, LimitAndSlackBytes);
        Assert.True(statistics.Evictions > 0);
    }

    [Fact]
    public void Set_KeysInUse_OutliveAFloodOfOthers()
    {
        using var fixture = Limited(EvictionPolicy.AllEntries);
        byte[] value = new byte[400];
        for (int i = 0; i < 500; i++)
            fixture.Store.Set(Bytes($"used:{i}"), value);
        for (int i = 0; i < 50_000; i++)
        {
            fixture.Store.Set(Bytes($"flood:{i}"), value);
            fixture.Get($"used:{i % 500}");
        }

        int left = Enumerable.Range(0, 500).Count(i => fixture.Peek($"used:{i}") is not null);
        Assert.InRange(left, 400, 500);
    }

    [Fact]
    public void Set_PolicyNone_RefusesAndReadsStayAlive()
    {
        using var fixture = Limited(EvictionPolicy.None);
        byte[] value = new byte[1_000];
        int written = 0;
        while (fixture.Store.Set(Bytes($"key:{written}"), value) == WriteStatus.Done)
            written++;

        Assert.InRange(written, (int)(LimitBytes / 1_500), (int)(LimitBytes / 1_000));
        Assert.Equal(WriteStatus.OutOfMemory, fixture.Store.Set("another"u8, value));
        Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
        Assert.Equal(written, fixture.Store.Count);
        for (int i = 0; i < written; i++)
            Assert.Equal(value, fixture.Store.GetArray(Bytes($"key:{i}")));
    }

    [Fact]
    public void Set_PolicyNoneAfterRemoval_HasRoomAgain()
    {
        using var fixture = Limited(EvictionPolicy.None);
        byte[] value = new byte[1_000];
        int written = 0;
        while (fixture.Store.Set(Bytes($"key:{written}"), value) == WriteStatus.Done)
            written++;

        for (int i = 0; i < written / 2; i++)
            Assert.True(fixture.Store.Remove(Bytes($"key:{i}")));

        for (int i = 0; i < written / 4; i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"again:{i}"), value));
    }

    [Fact]
    public void Writes_PolicyNoneAtTheLimit_LeaveWhatIsThere()
    {
        using var fixture = Limited(EvictionPolicy.None);
        fixture.Set("key", "value");
        byte[] filler = new byte[1_000];
        for (int i = 0; fixture.Store.Set(Bytes($"key:{i}"), filler) == WriteStatus.Done; i++)
        {
        }

        byte[] large = new byte[LimitBytes / 4];
        Assert.Equal(WriteStatus.OutOfMemory, fixture.Store.Append("key"u8, large, out int length));
        Assert.Equal(5, length);
        Assert.Equal(WriteStatus.OutOfMemory, fixture.Store.Set("key"u8, large));
        Assert.Equal(WriteStatus.OutOfMemory, fixture.Store.SetRange("key"u8, 100, large, out _));
        Assert.Equal("value", fixture.Get("key"));
    }

    [Fact]
    public void Set_PolicyExpiringEntries_SparesTheOthers()
    {
        using var fixture = Limited(EvictionPolicy.ExpiringEntries);
        byte[] value = new byte[1_000];
        for (int i = 0; i < 1_000; i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"stays:{i}"), value));
        for (int i = 0; i < 10_000; i++)
        {
            Assert.Equal(
                WriteStatus.Done, fixture.Store.Set(Bytes($"goes:{i}"), value, ExpiringAt(fixture.NowMs + 1_000_000)));
        }

        Assert.True(fixture.Store.GetStatistics().Evictions > 0);
        for (int i = 0; i < 1_000; i++)
            Assert.NotNull(fixture.Peek($"stays:{i}"));
    }

    [Fact]
    public void Set_PolicyExpiringEntriesAndNoneExpires_Refuses()
    {
        using var fixture = Limited(EvictionPolicy.ExpiringEntries);
        byte[] value = new byte[1_000];
        int written = 0;
        while (fixture.Store.Set(Bytes($"key:{written}"), value) == WriteStatus.Done)
            written++;

        Assert.InRange(written, (int)(LimitBytes / 1_500), (int)(LimitBytes / 1_000));
        Assert.Equal(written, fixture.Store.Count);
        fixture.Store.Eviction = EvictionPolicy.AllEntries;
        Assert.Equal(WriteStatus.Done, fixture.Store.Set("another"u8, value));
    }

    [Fact]
    public void Set_ValueLargerThanTheLimit_IsRefusedAndSparesTheOthers()
    {
        using var fixture = Limited(EvictionPolicy.AllEntries);
        fixture.Set("key", "value");

        var status = fixture.Store.Set("large"u8, new byte[LimitBytes + 1]);

        Assert.Contains(status, new[] { WriteStatus.OutOfMemory, WriteStatus.ValueTooLong });
        Assert.Equal("value", fixture.Get("key"));
        Assert.Null(fixture.Peek("large"));
    }

    [Fact]
    public void MemoryLimitBytes_Lowered_EvictsAtOnce()
    {
        using var fixture = Limited(EvictionPolicy.AllEntries);
        for (int i = 0; i < 10_000; i++)
            fixture.Store.Set(Bytes($"key:{i}"), new byte[1_000]);

        fixture.Store.MemoryLimitBytes = LimitBytes / 4;

        var statistics = fixture.Store.GetStatistics();
        Assert.InRange(statistics.MemoryBytes, LimitBytes / 16, LimitBytes / 4 * 102 / 100);
        Assert.Equal(LimitBytes / 4, statistics.MemoryLimitBytes);
    }

    [Fact]
    public void MemoryLimitBytes_Raised_HoldsMore()
    {
        using var fixture = Limited(EvictionPolicy.AllEntries);
        for (int i = 0; i < 10_000; i++)
            fixture.Store.Set(Bytes($"key:{i}"), new byte[1_000]);
        long before = fixture.Store.Count;

        fixture.Store.MemoryLimitBytes = LimitBytes * 2;
        for (int i = 0; i < 20_000; i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"key:{i}"), new byte[1_000]));

        Assert.InRange(fixture.Store.Count, before * 17 / 10, before * 23 / 10);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(long.MaxValue)]
    public void MemoryLimitBytes_OutOfRange_Throws(long bytes)
    {
        using var fixture = Limited(EvictionPolicy.AllEntries);

        var failure = Assert.Throws<ArgumentException>(() => fixture.Store.MemoryLimitBytes = bytes);

        Assert.Contains($"MemoryLimitBytes is {bytes};", failure.Message, StringComparison.Ordinal);
        Assert.Equal(LimitBytes, fixture.Store.MemoryLimitBytes);
    }

    [Fact]
    public void Eviction_NoSuchPolicy_Throws()
    {
        using var fixture = Limited(EvictionPolicy.None);

        var failure = Assert.Throws<ArgumentException>(() => fixture.Store.Eviction = (EvictionPolicy)99);

        Assert.Contains("Eviction is 99; it must be one of None,", failure.Message, StringComparison.Ordinal);
        Assert.Equal(EvictionPolicy.None, fixture.Store.Eviction);
    }

    private static StoreFixture Limited(EvictionPolicy policy) => new(options =>
    {
        options.MemoryLimitBytes = LimitBytes;
        options.Eviction = policy;
    });
}
