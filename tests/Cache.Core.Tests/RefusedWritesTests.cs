using Cache.Testing;

namespace Cache.Core.Tests;

public sealed class RefusedWritesTests : IDisposable
{
    private static readonly byte[] _tooMuch = new byte[2 * StoreFixture.MemoryLimitBytes];

    private readonly StoreFixture _fixture = new(static options => options.Eviction = EvictionPolicy.None);

    private CacheStatistics Statistics => _fixture.Store.GetStatistics();

    [Fact]
    public void GetStatistics_WritesThatFindRoom_AreNotRefused()
    {
        _fixture.Set("k", "v");
        _fixture.Store.Set("k"u8, "v"u8, new EntryOptions { Condition = SetCondition.IfAbsent });
        Assert.Equal((0, 0), (Statistics.RefusedWrites, Statistics.LastRefusedWriteMs));
    }

    [Fact]
    public void GetStatistics_RefusedWrites_AreCountedWithTheTimeOfTheLast()
    {
        Assert.Equal(WriteStatus.OutOfMemory, _fixture.Store.Set("a"u8, _tooMuch));
        _fixture.Clock.Advance(5_000);
        Assert.Equal(WriteStatus.OutOfMemory, _fixture.Store.SelectKeyspace(1).Append("b"u8, _tooMuch, out _));
        Assert.Equal((2, _fixture.NowMs), (Statistics.RefusedWrites, Statistics.LastRefusedWriteMs));
    }

    [Fact]
    public void GetStatistics_RefusedWritesOfKeysKnownAhead_AreCounted()
    {
        var hash = _fixture.Store.BeginPrefetch("a"u8);
        Assert.Equal(WriteStatus.OutOfMemory, _fixture.Store.Set("a"u8, hash, _tooMuch));
        Assert.Equal(1, Statistics.RefusedWrites);
    }

    [Fact]
    public void GetStatistics_RefusedExpiryOfARead_IsCounted()
    {
        int entries = 0;
        while (_fixture.Set($"{entries}", new string('v', 60)) == WriteStatus.Done)
            entries++;
        long refused = Statistics.RefusedWrites;
        for (int i = 0; i < entries; i++)
        {
            var sink = default(ArraySink);
            byte[] key = StoreFixture.Bytes($"{i}");
            _fixture.Store.TryGetAndExpire(key, _fixture.NowMs + 1_000_000, ref sink, out var status);
            refused += status == WriteStatus.OutOfMemory ? 1 : 0;
        }

        Assert.True(refused > 1);
        Assert.Equal(refused, Statistics.RefusedWrites);
    }

    [Fact]
    public void ResetStatistics_ForgetsTheCountAndNotTheTime()
    {
        _fixture.Store.Set("a"u8, _tooMuch);
        _fixture.Store.ResetStatistics();
        Assert.Equal((0, _fixture.NowMs), (Statistics.RefusedWrites, Statistics.LastRefusedWriteMs));
    }

    public void Dispose() => _fixture.Dispose();
}
