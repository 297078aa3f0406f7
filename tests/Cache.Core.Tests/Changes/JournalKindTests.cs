using Cache.Core.Changes;
using Cache.Testing;

namespace Cache.Core.Tests.Changes;

/// <summary>What the journal is told of the kind of a value.</summary>
public sealed class JournalKindTests : IDisposable
{
    private static readonly byte[] _key = "k"u8.ToArray();

    private readonly StoreFixture _fixture = new();
    private readonly RecordingJournal _journal = new();

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(10)]
    [InlineData(4_000)]
    public void Copy_OfAKeyThatIsNoString_TellsItsKind(int length)
    {
        var store = _fixture.Store;
        store.Set(_key, new byte[length]);
        store.SetKind(_key, EntryKind.SortedSet);
        store.Attach(_journal);

        store.Copy(_key, store, "l"u8, SetCondition.Always);
        store.Rename("l"u8, "m"u8, SetCondition.Always);
        store.Expire("m"u8, store.NowMs + 1_000, ExpireConditions.None);

        store.Detach(_journal);
        Assert.Equal(
            [
                (ChangeKind.Set, EntryKind.SortedSet), (ChangeKind.Set, EntryKind.SortedSet),
                (ChangeKind.Remove, EntryKind.None), (ChangeKind.Expire, EntryKind.None),
            ],
            _journal.Changes.Select(change => (change.Record.Kind, change.Record.EntryKind)));
    }

    [Fact]
    public void Writes_OfStrings_TellThatTheyAre()
    {
        var store = _fixture.Store;
        store.Attach(_journal);

        store.Set(_key, "value"u8);
        store.Set(_key, "other"u8); // In place.
        store.Append(_key, "s"u8, out _);
        store.Set("l"u8, new byte[100_000]);
        var entries = new EntryArray((_key, "many"u8.ToArray()), ("l"u8.ToArray(), "more"u8.ToArray()));
        store.SetMany(ref entries, SetCondition.Always);

        store.Detach(_journal);
        Assert.Equal(6, _journal.Changes.Count);
        Assert.All(_journal.Changes, change => Assert.Equal(EntryKind.String, change.Record.EntryKind));
    }
}
