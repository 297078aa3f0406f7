using System.Text;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

public sealed class CacheStoreReadsTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void TryGet_AbsentKey_LeavesTheSinkUntouched()
    {
        var sink = default(ArraySink);

        Assert.False(Store.TryGet("absent"u8, ref sink));
        Assert.Null(sink.Array);
    }

    [Fact]
    public void TryGet_EmptyValue_IsAHit()
    {
        _fixture.Set("key", "");
        var sink = default(ArraySink);

        Assert.True(Store.TryGet("key"u8, ref sink));
        Assert.Empty(sink.Array!);
    }

    [Fact]
    public void TryGet_EmptyKey_IsAKeyLikeAnyOther()
    {
        _fixture.Set("", "value");

        Assert.Equal("value", _fixture.Get(""));
        Assert.Null(_fixture.Get("\0"));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(8)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(255)]
    [InlineData(256)]
    [InlineData(CacheStore.KeyLengthMax)]
    public void TryGet_KeysThatDifferInTheLastBit_AreDifferentKeys(int length)
    {
        byte[] one = Pattern(length);
        byte[] other = Pattern(length);
        other[^1] ^= 1;
        Store.Set(one, "one"u8);

        Assert.Null(Store.GetArray(other));
        Store.Set(other, "other"u8);

        Assert.Equal("one"u8.ToArray(), Store.GetArray(one));
        Assert.Equal("other"u8.ToArray(), Store.GetArray(other));
    }

    [Fact]
    public void TryGet_KeyThatIsAPrefixOfAnother_IsAnotherKey()
    {
        byte[] key = Pattern(64);
        for (int length = 0; length <= key.Length; length++)
            Store.Set(key.AsSpan(0, length), Bytes($"{length}"));

        for (int length = 0; length <= key.Length; length++)
            Assert.Equal(Bytes($"{length}"), Store.GetArray(key.AsSpan(0, length)));
    }

    [Fact]
    public void TryGet_KeyLongerThanTheLongest_Misses()
    {
        byte[] key = Pattern(CacheStore.KeyLengthMax + 1);
        Store.Set(key.AsSpan(0, CacheStore.KeyLengthMax), "value"u8);

        Assert.Null(Store.GetArray(key));
        Assert.False(Store.Contains(key));
        Assert.False(Store.TryPeekInfo(key, out _));
        Assert.False(Store.Remove(key));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(9)]
    [InlineData(63)]
    [InlineData(64)]
    [InlineData(65)]
    [InlineData(4_095)]
    [InlineData(4_097)]
    [InlineData(65_536)]
    [InlineData(300_001)]
    [InlineData(3_000_000)]
    public void TryGet_ValueOfAnyLength_ComesBackWhole(int length)
    {
        byte[] value = Pattern(length);

        Assert.Equal(WriteStatus.Done, Store.Set("key"u8, value));
        Assert.True(value.AsSpan().SequenceEqual(Store.GetArray("key"u8)));
        Assert.Equal(length, _fixture.Peek("key")!.Value.Length);
    }

    [Theory]
    [InlineData(0, -1, "0123456789")]
    [InlineData(0, 0, "0")]
    [InlineData(2, 4, "234")]
    [InlineData(-3, -1, "789")]
    [InlineData(-3, -3, "7")]
    [InlineData(5, 100, "56789")]
    [InlineData(-100, 2, "012")]
    [InlineData(4, 3, "")]
    [InlineData(10, 20, "")]
    [InlineData(0, -11, "")]
    [InlineData(long.MinValue, long.MaxValue, "0123456789")]
    [InlineData(long.MaxValue, long.MinValue, "")]
    public void TryGetRange_AnyEnds_TakesWhatLiesWithin(long first, long last, string expected)
    {
        _fixture.Set("key", "0123456789");
        var sink = default(ArraySink);

        Assert.True(Store.TryGetRange("key"u8, first, last, ref sink));
        Assert.Equal(expected, Encoding.Latin1.GetString(sink.Array!));
    }

    [Fact]
    public void TryGetRange_AbsentKey_IsAMiss()
    {
        var sink = default(ArraySink);

        Assert.False(Store.TryGetRange("absent"u8, 0, -1, ref sink));
        Assert.Null(sink.Array);
    }

    [Fact]
    public void TryGet_WithInfo_TellsLengthAndExpiry()
    {
        long expiresAtMs = _fixture.NowMs + 1_000;
        _fixture.Set("key", "value", ExpiringAt(expiresAtMs));
        var sink = default(ArraySink);

        Assert.True(Store.TryGet("key"u8, ref sink, out var info));

        Assert.Equal((5, expiresAtMs, 0L), (info.Length, info.ExpiresAtMs, info.SlidingMs));
        Assert.Equal(_fixture.Peek("key")!.Value.Version, info.Version);
    }

    [Fact]
    public void TryGetInfo_PresentAndAbsentKey_ReportsWhich()
    {
        _fixture.Set("key", "value");

        Assert.True(Store.TryGetInfo("key"u8, out var info));
        Assert.Equal(5, info.Length);
        Assert.False(Store.TryGetInfo("absent"u8, out _));
        Assert.True(Store.Contains("key"u8));
        Assert.False(Store.Contains("absent"u8));
    }

    [Fact]
    public void TryPeekInfo_AnyKey_CountsNothing()
    {
        _fixture.Set("key", "value");

        Store.TryPeekInfo("key"u8, out _);
        Store.TryPeekInfo("absent"u8, out _);

        var statistics = Store.GetStatistics();
        Assert.Equal((0, 0), (statistics.Hits, statistics.Misses));
    }

    [Fact]
    public void TryGetAndExpire_PresentKey_CopiesAndSetsTheExpiry()
    {
        _fixture.Set("key", "value");
        long expiresAtMs = _fixture.NowMs + 50;
        var sink = default(ArraySink);

        Assert.True(Store.TryGetAndExpire("key"u8, expiresAtMs, ref sink));

        Assert.Equal("value"u8.ToArray(), sink.Array);
        Assert.Equal(expiresAtMs, _fixture.Peek("key")!.Value.ExpiresAtMs);
        Assert.True(Store.TryGetAndExpire("key"u8, 0, ref sink));
        Assert.Equal(0, _fixture.Peek("key")!.Value.ExpiresAtMs);
    }

    [Fact]
    public void TryGetAndExpire_PastMoment_CopiesAndRemoves()
    {
        _fixture.Set("key", "value");
        var sink = default(ArraySink);

        Assert.True(Store.TryGetAndExpire("key"u8, _fixture.NowMs - 1, ref sink));

        Assert.Equal("value"u8.ToArray(), sink.Array);
        Assert.Null(_fixture.Get("key"));
        Assert.False(Store.TryGetAndExpire("key"u8, 0, ref sink));
    }

    [Fact]
    public void TryGet_WrittenBetweenTheCheckAndTheCopy_IsReadAgain()
    {
        _fixture.Set("key", "the former value");
        var sink = new InterruptedSink(() => _fixture.Set("key", "the next one"));

        Assert.True(Store.TryGet("key"u8, ref sink));

        Assert.Equal("the next one", sink.Text);
    }

    [Fact]
    public void TryGetRange_WrittenBetweenTheCheckAndTheCopy_IsReadAgain()
    {
        _fixture.Set("key", "the former value");
        var sink = new InterruptedSink(() => _fixture.Set("key", "the next one"));

        Assert.True(Store.TryGetRange("key"u8, 4, -1, ref sink));

        Assert.Equal("next one", sink.Text);
    }

    [Fact]
    public void GetArray_ChangedByTheCaller_LeavesTheStoredValue()
    {
        byte[] value = Bytes("value");
        Store.Set("key"u8, value);
        value[0] = (byte)'X';
        Store.GetArray("key"u8)![1] = (byte)'X';

        Assert.Equal("value", _fixture.Get("key"));
    }

    /// <summary>Lets something happen when it is first asked for room: what is read then has been looked at.</summary>
    private struct InterruptedSink(Action interruption) : IValueSink
    {
        private Action? _interruption = interruption;
        private byte[] _bytes = [];

        public string? Text { get; private set; }

        public Span<byte> GetSpan(int length)
        {
            Interlocked.Exchange(ref _interruption, null)?.Invoke();
            return _bytes = new byte[length];
        }

        public void Advance(int length) => Text = Encoding.Latin1.GetString(_bytes, 0, length);
    }

    private static byte[] Pattern(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = (byte)(i * 31 + (i >> 8));
        return bytes;
    }
}
