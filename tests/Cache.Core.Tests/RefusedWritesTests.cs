using Cache.Core.Contracts;

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
    public void ResetStatistics_ForgetsTheCountAndNotTheTime()
    {
        _fixture.Store.Set("a"u8, _tooMuch);
        _fixture.Store.ResetStatistics();
        Assert.Equal((0, _fixture.NowMs), (Statistics.RefusedWrites, Statistics.LastRefusedWriteMs));
    }

    public void Dispose() => _fixture.Dispose();
}
