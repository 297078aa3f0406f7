using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.Sharding;
using Cache.Core.Validation;

namespace Cache.Core.Tests.Validation;

/// <summary>That the validator can fail.</summary>
public sealed class StoreValidatorTests : IDisposable
{
    private readonly StoreState _state = new(
        new CacheOptions { MemoryLimitBytes = 1 << 20, ShardCount = 1, Eviction = EvictionPolicy.None },
        new Cache.Testing.FakeTimeProvider(), KeyedHash.CreateRandom());

    public void Dispose() => _state.Dispose();

    [Fact]
    public void Validate_EmptyStore_IsContent() => new StoreValidator(_state).Validate();

    [Fact]
    public void Validate_LockedBucket_Throws()
    {
        var home = _state.Shards[0].HomeOf(0);
        uint version = home.Lock();

        AssertDamaged("is locked");
        home.Unlock(version, changed: false);
        new StoreValidator(_state).Validate();
    }

    [Fact]
    public void Validate_EntryIntoAFreeSegment_Throws()
    {
        var home = _state.Shards[0].HomeOf(0);
        uint version = home.Lock();
        home.SetEntry(1, Bucket.EntryOf(Bucket.TagOf(0, 0), 8));
        home.Unlock(version, changed: true);

        AssertDamaged("");
    }

    [Fact]
    public void Validate_SpillThatIsNone_Throws()
    {
        var home = _state.Shards[0].HomeOf(0);
        uint version = home.Lock();
        home.AddNeighbour(1);
        home.Unlock(version, changed: true);

        AssertDamaged("counts 1 of 0 entries in the next");
    }

    [Fact]
    public void Validate_BytesThatNobodyHolds_Throws()
    {
        _state.Budget.Add(1);

        AssertDamaged("bytes are counted");
    }

    private void AssertDamaged(string statement)
    {
        var failure = Assert.Throws<InvalidOperationException>(() => new StoreValidator(_state).Validate());
        Assert.Contains(statement, failure.Message, StringComparison.Ordinal);
    }
}
