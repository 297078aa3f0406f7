using Cache.Core.Collections;
using Cache.Core.Collections.Hashes;
using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Fields at random of a large hash of which many have expired, and were not removed yet.</summary>
public sealed class LiveRanksTests : IDisposable
{
    private const int Many = 1_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private HashKey Hash => Store.Hash("h"u8);

    public void Dispose() => _fixture.Dispose();

    // Walking through a million fields for one of them delays all clients of a loop.
    [Theory]
    [InlineData(Many)]
    [InlineData(Many / 2)]
    [InlineData(Many / 20)]
    public void Next_OfManyThatHaveExpired_WalksThroughNone(int live)
    {
        long nowMs = ExpireAllBut(live);
        using var copy = Copy();
        var ranks = new LiveRanks(copy.View, nowMs);
        Assert.Equal((uint)live, ranks.Count);
        var drawn = new HashSet<uint>();
        for (int i = 0; i < 20 * live; i++)
            drawn.Add(ranks.Next());
        Assert.InRange(drawn.Count, live - 5, live); // e^-20 of each is left out.
        uint[] chosen = new uint[live / 2];
        ranks.Choose(chosen);
        Assert.Equal(chosen.Length, chosen.Distinct().Count());
        Assert.Equal(chosen.Order(), chosen);
        Assert.False(ranks.HasWalked);
        ranks.Dispose();
    }

    [Fact]
    public void Choose_OfMost_FindsEach()
    {
        long nowMs = ExpireAllBut(10);
        using var copy = Copy();
        var ranks = new LiveRanks(copy.View, nowMs);
        uint[] chosen = new uint[10];
        ranks.Choose(chosen);
        Assert.Equal(10, chosen.Distinct().Count());
        Assert.Contains(ranks.Next(), chosen);
        ranks.Dispose();
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(200, true)]
    [InlineData(1, false)]
    [InlineData(40, false)]
    [InlineData(80, false)]
    [InlineData(200, false)]
    public void GetRandom_BesideExpiredFields_TellsNone(int wanted, bool mayRepeat)
    {
        const int Live = 90;
        ExpireAllBut(Live);
        var sink = new FieldListSink();
        Assert.Equal(ReadStatus.Found, Hash.GetRandom(wanted, mayRepeat, ref sink));
        Assert.Equal(mayRepeat ? wanted : Math.Min(wanted, Live), sink.Fields.Count);
        if (!mayRepeat)
            Assert.Equal(sink.Fields.Count, sink.Fields.Distinct().Count());
        Assert.All(sink.Fields, static each => Assert.InRange(int.Parse(each.Field.AsSpan(6)), Many - Live, Many));
    }

    // Without a sweep.
    private long ExpireAllBut(int live)
    {
        LargeHashTests.Fill(Store, "h", Many);
        long moment = Store.NowUnixMs + 1_000;
        for (int i = 0; i < Many - live; i++)
            Assert.Equal(WriteStatus.Done, Hash.Expire(Bytes($"field {i}"), moment));
        Store.State.Fields.Release(moment);
        return moment;
    }

    private CollectionCopy Copy()
    {
        var key = new EntryKey("h"u8, 0, Store.State.HashOf("h"u8, 0));
        return CollectionCopy.Take(Store.State, key, EntryKind.Hash, out _);
    }
}
