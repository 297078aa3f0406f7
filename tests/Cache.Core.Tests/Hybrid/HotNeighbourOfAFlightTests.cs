using Cache.Core.Layout;
using Cache.Core.Sharding;
using Microsoft.Extensions.Caching.Hybrid;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Hybrid;

/// <summary>A factory's value is written once although a neighbour of its key is written before each attempt.</summary>
public sealed class HotNeighbourOfAFlightTests : IDisposable
{
    private const int Large = 300_000;

    private static readonly HybridCacheEntryOptions _anew = new()
    {
        Expiration = TimeSpan.FromMinutes(1),
        Flags = HybridCacheEntryFlags.DisableLocalCacheRead,
    };

    private readonly HybridFixture _fixture = new(
        static options => options.MaximumPayloadBytes = 1 << 20, static options => options.ShardCount = 1);

    public void Dispose()
    {
        RoomSteps.Observe(null);
        _fixture.Dispose();
    }

    // What the key has before: nothing, a value among others, one in a block of its own.
    [Theory]
    [InlineData(-1)]
    [InlineData(10)]
    [InlineData(Large)]
    public async Task Factory_BesideAHotNeighbour_GivesItsValueToTheStore(int lengthBefore)
    {
        byte[] before = new byte[Math.Max(lengthBefore, 0)];
        if (lengthBefore >= 0)
            await _fixture.Get("k", before, _anew);

        var (attempts, _) = await MadeBeside(static _ => { });

        Assert.Equal(9, attempts);
        Assert.Equal(Large, (await _fixture.GetPresent<byte[]>("k")).Length);
    }

    [Theory]
    [InlineData("set", 10)]
    [InlineData("set", Large)]
    [InlineData("set to as much, until then", Large)]
    [InlineData("remove", Large)]
    [InlineData("remove", -1)]
    [InlineData("expire", Large)]
    public async Task Factory_WhoseKeyIsChangedBeforeTheLastAttempt_LeavesItSo(string change, int lengthBefore)
    {
        byte[] before = new byte[Math.Max(lengthBefore, 0)];
        if (lengthBefore >= 0)
            await _fixture.Get("k", before, _anew);
        byte[]? after = null;

        var (attempts, staged) = await MadeBeside(attempt =>
        {
            if (attempt != 9)
                return;
            _ = change switch
            {
                "set" => _fixture.Store.Set("k"u8, "other"u8) == WriteStatus.Done,
                "set to as much, until then" => SetUnlike(_fixture.Store.GetArray("k"u8)!),
                "expire" => _fixture.Store.Persist("k"u8) == WriteStatus.Done,
                _ => _fixture.Store.Remove("k"u8),
            };
            after = _fixture.Store.GetArray("k"u8);
        });

        Assert.Equal(9, attempts);
        Assert.Equal(0, staged); // Not even for a moment: what is written too late is removed again.
        Assert.Equal(after, _fixture.Store.GetArray("k"u8));
    }

    // Nothing is written at all, not even for a moment.
    [Fact]
    public async Task Factory_WhoseKeyIsRemovedMeanwhile_WritesNothing()
    {
        int writes = 0;
        await _fixture.Cache.GetOrCreateAsync("k", _ =>
        {
            _fixture.Store.Remove("k"u8);
            RoomSteps.Observe(step => writes += step == RoomStep.WriteEnds ? 1 : 0);
            return new ValueTask<int>(1);
        }, _anew);
        RoomSteps.Observe(null);

        Assert.Equal(0, writes);
    }

    /// <summary>Runs a factory; before each write that it ends with, its neighbour is written.</summary>
    /// <returns>How many writes there were, and how many of them came as far as a record.</returns>
    private async Task<(int Attempts, int Staged)> MadeBeside(Action<int> beforeAttempt)
    {
        int attempts = 0;
        int staged = 0;
        bool isInside = false;
        byte[] neighbour = Neighbour();
        await _fixture.Cache.GetOrCreateAsync("k", _ =>
        {
            RoomSteps.Observe(step =>
            {
                if (isInside)
                    return;
                staged += step == RoomStep.RecordStaged ? 1 : 0;
                if (step != RoomStep.BlockTaken)
                    return;
                isInside = true;
                beforeAttempt(++attempts);
                if (attempts < 100) // More are as good as no end.
                    _fixture.Store.Set(neighbour, "1"u8);
                isInside = false;
            });
            return new ValueTask<byte[]>(new byte[Large]);
        }, _anew);
        RoomSteps.Observe(null);
        return (attempts, staged);
    }

    private bool SetUnlike(byte[] value)
    {
        value[0]++;
        var options = new EntryOptions { ExpiresAtMs = _fixture.Store.NowMs + 60_000 };
        return _fixture.Store.Set("k"u8, value, options) == WriteStatus.Done;
    }

    /// <summary>A key of the same home bucket: the one shard of so small a store has one page.</summary>
    private byte[] Neighbour()
    {
        int home = HomeOf("k"u8);
        return Enumerable.Range(0, int.MaxValue).Select(static i => Bytes($"n:{i}")).First(key => HomeOf(key) == home);
    }

    private int HomeOf(ReadOnlySpan<byte> key) => IndexPage.HomeIndexOf(_fixture.Store.BeginPrefetch(key).Value);
}
