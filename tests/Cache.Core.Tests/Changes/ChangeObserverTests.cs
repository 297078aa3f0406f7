using Cache.Core.Changes;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Changes;

/// <summary>What an observer is told.</summary>
public sealed class ChangeObserverTests : IDisposable
{
    private readonly StoreFixture _fixture = new();
    private readonly NotingObserver _observer = new();
    private int _drainsBefore;

    public ChangeObserverTests() => Store.Attach(_observer);

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Writes_AreToldWithKindAndCause()
    {
        _fixture.Set("a", "1");
        _fixture.Set("a", "2");
        Store.Append("a"u8, "3"u8, out _);
        Store.Expire("a"u8, Store.NowMs + 10, ExpireConditions.None);
        Store.Rename("a"u8, "b"u8, SetCondition.Always);
        Store.Remove("b"u8);
        Store.Remove("b"u8);
        Store.Clear();

        Assert.Equal(
            [
                "a Set Written", "a Set Written", "a Patch Written", "a Expire Written", "b Set Moved",
                "a Remove Moved", "b Remove Deleted", " Clear Cleared",
            ],
            _observer.Notes);
        Assert.NotEqual(0, _observer.Drains);
    }

    [Fact]
    public void Expiry_IsToldWhenItIsMet()
    {
        _fixture.Set("a", "1", ExpiringAt(Store.NowMs + 10));
        _fixture.Clock.Advance(1_000);
        Store.GetArray("a"u8);

        Assert.Equal("a Remove Expired", _observer.Notes[^1]);
    }

    [Fact]
    public void Eviction_IsTold()
    {
        for (int i = 0; Store.GetStatistics().Evictions == 0; i++)
            Store.Set(Bytes($"{i}"), new byte[10_000]);

        Assert.Equal(
            Store.GetStatistics().Evictions, _observer.Notes.Count(note => note.EndsWith(" Remove Evicted")));
    }

    [Fact]
    public void SetMany_IsToldForEachKey()
    {
        var entries = new EntryArray(("a"u8.ToArray(), [1]), ("b"u8.ToArray(), [2]));
        Store.SetMany(ref entries, SetCondition.Always);
        Store.SetMany(ref entries, SetCondition.Always);

        Assert.Equal(["a Set Written", "b Set Written", "a Set Written", "b Set Written"], _observer.Notes);
    }

    [Fact]
    public void Transact_IsDrainedAfterIt()
    {
        _fixture.Set("a", "1", ExpiringAt(Store.NowMs + 10));
        KeyedTransaction.Run(Store, ["a"u8.ToArray(), "b"u8.ToArray()], 1, 3, view =>
        {
            int drains = _observer.Drains;
            view.Rename("a"u8, "b"u8, SetCondition.Always);
            _fixture.Clock.Advance(20);
            Assert.Null(view.GetArray("b"u8));
            view.Clear();
            Assert.Equal(drains, _observer.Drains);
            _drainsBefore = drains;
        });

        Assert.Equal(
            ["a Set Written", "b Set Moved", "a Remove Moved", "b Remove Expired", " Clear Cleared"], _observer.Notes);
        Assert.NotEqual(_drainsBefore, _observer.Drains);
    }

    [Fact]
    public void Detach_EndsIt()
    {
        var other = new NotingObserver();
        Store.Attach(other);
        Store.Detach(_observer);
        _fixture.Set("a", "1");
        Store.Detach(other);
        _fixture.Set("a", "2");

        Assert.Empty(_observer.Notes);
        Assert.Equal(["a Set Written"], other.Notes);
    }

    private sealed class NotingObserver : ChangeObserver
    {
        public List<string> Notes { get; } = [];

        public int Drains { get; private set; }

        public override void Note(in ChangeNote note) =>
            Notes.Add($"{System.Text.Encoding.Latin1.GetString(note.Key)} {note.Kind} {note.Cause}");

        public override void Drain() => Drains++;
    }
}
