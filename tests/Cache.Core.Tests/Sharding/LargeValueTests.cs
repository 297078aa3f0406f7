using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Values and keys around each border of the layout. The fixture proves the store whole at the end.</summary>
public sealed class LargeValueTests
{
    private static readonly byte[] _key = Bytes("key");

    [Theory]
    [InlineData(2_000)]
    [InlineData(2_048)]
    [InlineData(8_192)]
    [InlineData(65_536)]
    [InlineData(1 << 20)]
    [InlineData(4 << 20)]
    public void Set_LengthsAroundABorder_ComeBackAndAreGivenBack(int border)
    {
        using var fixture = new StoreFixture();
        long before = fixture.Store.GetStatistics().MemoryBytes;
        for (int length = border - 12; length <= border + 12; length++)
        {
            byte[] value = Pattern(length);
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(_key, value));
            Assert.Equal(value, fixture.Store.GetArray(_key));
            Assert.Equal(WriteStatus.Done, fixture.Store.Append(_key, "!"u8, out int appended));
            Assert.Equal(length + 1, appended);
            fixture.Store.AssertValid();
        }

        Assert.True(fixture.Store.Remove(_key));
        Assert.InRange(fixture.Store.GetStatistics().MemoryBytes, before, before + (1 << 20));
    }

    // What was in a block may be kept in the record once the limit is higher, in the place of the block's address.
    [Fact]
    public void Append_ToALargeValueThatIsSmallUnderARaisedLimit_KeepsItsBytes()
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 32 << 20);
        fixture.Store.MemoryLimitBytes = 1 << 20;
        byte[] key = new byte[2041];
        Assert.Equal(WriteStatus.Done, fixture.Store.Set(key, "123456789"u8));
        fixture.Store.MemoryLimitBytes = 32 << 20;

        Assert.Equal(WriteStatus.Done, fixture.Store.Append(key, "0"u8, out _));

        Assert.Equal("1234567890"u8.ToArray(), fixture.Store.GetArray(key));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    public void Set_LongRecordWhoseSizeChangesBetweenAttempts_LeaksNothing(int expiresAtLook)
    {
        var clock = new JumpingClock();
        using var store = new CacheStore(
            new CacheOptions { MemoryLimitBytes = 1 << 20, ShardCount = 1, Eviction = EvictionPolicy.None }, clock);
        long before = store.GetStatistics().MemoryBytes;
        byte[] key = new byte[5000];
        Assert.Equal(WriteStatus.Done, store.Set(key, ""u8, ExpiringAt(store.NowMs + 1000)));
        clock.JumpAfter(expiresAtLook);

        Assert.Equal(WriteStatus.Done, store.Set(key, "12345678"u8, new EntryOptions { KeepTtl = true }));

        store.Remove(key);
        store.Validate();
        Assert.Equal(before, store.GetStatistics().MemoryBytes);
    }

    [Fact]
    public void Set_WithASinkThatThrows_LeaksNoBlock()
    {
        using var fixture = new StoreFixture();
        fixture.Set("k", "v");
        long before = fixture.Store.GetStatistics().MemoryBytes;

        Assert.Throws<InvalidOperationException>(() =>
        {
            var sink = default(ThrowingSink);
            fixture.Store.Set("k"u8, new byte[1_000_000], default, ref sink, out _);
        });

        Assert.Equal(before, fixture.Store.GetStatistics().MemoryBytes);
    }

    // The record of a long key is allocated between two attempts; the second one copies the value anew.
    [Fact]
    public void TryGetAndExpire_WithASinkThatThrowsTheSecondTime_LeaksNoLongRecord()
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 1 << 20);
        long before = fixture.Store.GetStatistics().MemoryBytes;
        byte[] key = new byte[5000];
        Assert.Equal(WriteStatus.Done, fixture.Store.Set(key, ""u8));

        Assert.Throws<InvalidOperationException>(() =>
        {
            var sink = default(SecondTimeThrowingSink);
            fixture.Store.TryGetAndExpire(key, fixture.NowMs + 1_000_000, ref sink);
        });

        Assert.True(fixture.Store.Remove(key));
        fixture.Store.Validate();
        Assert.Equal(before, fixture.Store.GetStatistics().MemoryBytes);
    }

    // Pages of one value become the next one's, cut to its length.
    [Fact]
    public void SetAndGet_ManyLengthsOverEachOther_KeepEachValue() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 512 << 20);
        var lengths = new int[6];
        for (int i = 0; i < 400; i++)
        {
            int key = random.Next(lengths.Length);
            lengths[key] = random.Next(100_000, 1_500_000);
            Assert.Equal(WriteStatus.Done, fixture.Store.Set([(byte)key], Pattern(lengths[key])));
            int other = random.Next(lengths.Length);
            Assert.Equal(
                lengths[other] == 0 ? null : Pattern(lengths[other]), fixture.Store.GetArray([(byte)other]));
            if (i % 50 == 0)
                fixture.Clock.Advance(100);
        }

        fixture.Store.AssertValid();
    });

    [Fact]
    public void Set_LongestKeys_AreKeptApart()
    {
        using var fixture = new StoreFixture();
        byte[] first = Pattern(CacheStore.KeyLengthMax);
        byte[] second = [.. first[..^1], (byte)~first[^1]];

        Assert.Equal(WriteStatus.Done, fixture.Store.Set(first, "1"u8));
        Assert.Equal(WriteStatus.Done, fixture.Store.Set(second, Pattern(100_000)));
        Assert.Equal(WriteStatus.KeyTooLong, fixture.Store.Set([.. first, 0], "3"u8));

        Assert.Equal("1"u8.ToArray(), fixture.Store.GetArray(first));
        Assert.Equal(Pattern(100_000), fixture.Store.GetArray(second));
        Assert.True(fixture.Store.Remove(first));
        Assert.Equal(1, fixture.Store.Count);
    }

    private readonly struct ThrowingSink : IValueSink
    {
        public Span<byte> GetSpan(int length) => throw new InvalidOperationException();

        public void Advance(int length)
        {
        }
    }

    private struct SecondTimeThrowingSink : IValueSink
    {
        private int _calls;

        public Span<byte> GetSpan(int length) =>
            ++_calls == 2 ? throw new InvalidOperationException() : new byte[length];

        public readonly void Advance(int length)
        {
        }
    }

    /// <summary>Stands still, but for one jump of two seconds.</summary>
    private sealed class JumpingClock : TimeProvider
    {
        private long _nowMs;
        private int _looksLeft = -1;

        public override long TimestampFrequency => 1000;

        public void JumpAfter(int looks) => _looksLeft = looks;

        public override long GetTimestamp()
        {
            if (_looksLeft > 0 && --_looksLeft == 0)
                _nowMs += 2000;
            return _nowMs;
        }

        public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch.AddYears(50);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            new FakeTimeProvider().CreateTimer(callback, state, dueTime, period);
    }

    private static byte[] Pattern(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = (byte)(i * 31 + (i >> 8));
        return bytes;
    }
}
