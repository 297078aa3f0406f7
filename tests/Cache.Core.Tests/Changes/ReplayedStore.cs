using Cache.Core.Changes;
using Cache.Testing;

namespace Cache.Core.Tests.Changes;

/// <summary>What the records of a journal make when they are read in their order.</summary>
internal sealed class ReplayedStore
{
    private readonly Dictionary<(int Keyspace, string Key), Entry> _entries = [];

    public ReplayedStore(IEnumerable<RecordedChange> changes)
    {
        foreach (var change in changes)
            Apply(change);
    }

    /// <summary>Requires that the store holds what was replayed, or less of it where entries may have gone.</summary>
    public void AssertIsOf(CacheStore store, bool mayHaveEvicted)
    {
        long nowUnixMs = store.TimeProvider.GetUtcNow().ToUnixTimeMilliseconds();
        int found = 0;
        for (int keyspace = 0; keyspace < store.KeyspaceCount; keyspace++)
        {
            var view = store.SelectKeyspace(keyspace);
            foreach (var ((_, hex), entry) in _entries.Where(pair => pair.Key.Keyspace == keyspace))
            {
                byte[] key = Convert.FromHexString(hex);
                if (!view.TryPeekInfo(key, out var info))
                {
                    bool isOver = entry.ExpiresAtUnixMs != 0 && entry.ExpiresAtUnixMs <= nowUnixMs;
                    Assert.True(mayHaveEvicted || isOver, $"{keyspace}:{hex} was recorded and is not in the store.");
                    continue;
                }

                found++;
                Assert.Equal(entry.SlidingMs, info.SlidingMs);
                if (entry.SlidingMs == 0)
                    Assert.Equal((hex, entry.ExpiresAtUnixMs), (hex, info.ExpiresAtUnixMs));
                Assert.True(
                    entry.Value.AsSpan().SequenceEqual(view.GetArray(key)), $"{keyspace}:{hex} has another value.");
            }
        }

        long live = Enumerable.Range(0, store.KeyspaceCount).Sum(keyspace => CountOf(store.SelectKeyspace(keyspace)));
        Assert.Equal(found, live); // Else the store has what was not recorded.
    }

    // Scanned: the count has expired ones that nobody met.
    private static int CountOf(CacheStore view) =>
        view.ScanAll(100).Distinct().Count(key => view.TryPeekInfo(StoreFixture.Bytes(key), out _));

    private void Apply(RecordedChange change)
    {
        var record = change.Record;
        var key = (record.Keyspace, change.Key);
        switch (record.Kind)
        {
            case ChangeKind.Set:
                _entries[key] = new Entry(change.Value, record.ExpiresAtUnixMs, record.SlidingMs);
                break;
            case ChangeKind.Remove:
                _entries.Remove(key);
                break;
            case ChangeKind.Expire:
                if (_entries.TryGetValue(key, out var kept))
                    _entries[key] = new Entry(kept.Value, record.ExpiresAtUnixMs, record.SlidingMs);
                break;
            case ChangeKind.Clear:
                foreach (var cleared in _entries.Keys.Where(other => other.Keyspace == record.Keyspace).ToArray())
                    _entries.Remove(cleared);
                break;
            default:
                Assert.Equal(ChangeKind.Patch, record.Kind);
                Assert.True(_entries.TryGetValue(key, out var present), "A patch of what was not recorded.");
                byte[] value = present.Value;
                if (value.Length < record.Offset + record.ValueLength)
                    Array.Resize(ref value, record.Offset + record.ValueLength);
                else
                    value = [.. value];
                change.Value.CopyTo(value.AsSpan(record.Offset));
                _entries[key] = present with { Value = value };
                break;
        }
    }

    private sealed record Entry(byte[] Value, long ExpiresAtUnixMs, long SlidingMs);
}
