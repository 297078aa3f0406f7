using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>A key that turns out to be no string at the last attempt, which is made under its lock.</summary>
public sealed class ChangingKindTests : IDisposable
{
    // Of every operation here; at the last of them the key is changed, so that the next one is under the lock.
    private const int AttemptsMax = 8;

    private static readonly byte[] _key = "k"u8.ToArray();

    private readonly StoreFixture _fixture = new();
    private readonly Turning _turning;

    public ChangingKindTests()
    {
        _fixture.Set("k", "v");
        _turning = new Turning(_fixture.Store);
    }

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void TryGet_KindChangedAtTheLastAttempt_IsTold()
    {
        var sink = new TurningSink(_turning);

        Assert.False(_fixture.Store.TryGet(_key, ref sink, out var info));

        Assert.Equal(EntryKind.Hash, info.Kind);
        Assert.Equal((AttemptsMax, false), (_turning.Attempts, _turning.IsAdvanced));
    }

    [Fact]
    public void Set_KindChangedAtTheLastAttemptToReadThePrevious_IsRefused()
    {
        var sink = new TurningSink(_turning);

        var status = _fixture.Store.Set(_key, "w"u8, default, ref sink, out bool existed);

        Assert.Equal((WriteStatus.WrongType, false), (status, existed));
        Assert.Equal((AttemptsMax, false), (_turning.Attempts, _turning.IsAdvanced));
        Assert.Equal(EntryKind.Hash, _fixture.Store.KindOf(_key));
    }

    [Fact]
    public void GetMany_KindChangedAtTheLastAttempt_IsMissing()
    {
        // The first look at a plain value is one more attempt in each reading.
        _turning.AttemptsMax = 2 * AttemptsMax;
        var keys = new KeyArray(_key);
        var sink = new TurningSink(_turning);

        _fixture.Store.GetMany(ref keys, ref sink);

        Assert.Equal((1, false), (_turning.Misses, _turning.IsAdvanced));
        var statistics = _fixture.Store.GetStatistics();
        Assert.Equal((1, 0), (statistics.Hits, statistics.Misses));
    }

    [Fact]
    public void Update_KindChangedAtTheLastAttempt_IsRefused()
    {
        var update = new TurningUpdate(_turning);

        Assert.Equal(WriteStatus.WrongType, _fixture.Store.Update(_key, ref update));

        Assert.Equal(AttemptsMax, _turning.Attempts);
        Assert.Equal(EntryKind.Hash, _fixture.Store.KindOf(_key));
    }

    /// <summary>Writes the key at each attempt, and at the last one makes it another kind.</summary>
    private sealed class Turning(CacheStore store)
    {
        public int AttemptsMax { get; set; } = ChangingKindTests.AttemptsMax;

        public int Attempts { get; private set; }

        public int Misses { get; set; }

        public bool IsAdvanced { get; set; }

        public void Attempt() =>
            store.SetKind(_key, ++Attempts == AttemptsMax ? EntryKind.Hash : EntryKind.String);
    }

    private readonly struct TurningSink(Turning turning) : IValueBatchSink
    {
        private readonly byte[] _bytes = new byte[10];

        public bool IsFull => false;

        public Span<byte> GetSpan(int length)
        {
            turning.Attempt();
            return _bytes;
        }

        public void Advance(int length) => turning.IsAdvanced = true;

        public void Miss() => turning.Misses++;

        public void Restart()
        {
            turning.Misses = 0;
            turning.IsAdvanced = false;
        }
    }

    private readonly struct TurningUpdate(Turning turning) : IValueUpdate
    {
        public int LengthMax => 10;

        public ReadOnlySpan<byte> Value => "w"u8;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists)
        {
            turning.Attempt();
            return true;
        }
    }
}
