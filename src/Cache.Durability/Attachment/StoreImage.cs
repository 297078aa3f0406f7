using Cache.Core;
using Cache.Durability.Format;
using Cache.Durability.Journaling;

namespace Cache.Durability.Attachment;

/// <summary>Writes the entries of a store into a snapshot, while other threads use the store.</summary>
/// <remarks>
/// A key that is written meanwhile is saved in some state; so the journal that is replayed after the snapshot must
/// begin before it. Keys that were not written meanwhile are exact. Reading for the snapshot does not count as a use.
/// </remarks>
internal static class StoreImage
{
    // A step is less than a tenth of a millisecond: a stop and a new limit are seen soon, and waits are short and many.
    private const int ScanCount = 100;

    // After each longer value a snapshot may be stopped, or wait.
    private const int LongValueMin = 64 << 10;

    /// <param name="store">The store.</param>
    /// <param name="databases">The keyspace of each database number; null: the keyspace with the same number.</param>
    /// <param name="snapshot">The snapshot; not completed here.</param>
    /// <param name="written">Called with the number of further entries; it may throw to stop the snapshot.</param>
    /// <param name="pace">Called with the bytes of the snapshot so far; it may wait.</param>
    public static void Write(
        CacheStore store, byte[]? databases, SnapshotWriter snapshot, Action<int>? written = null,
        Action<long>? pace = null)
    {
        if (databases != null)
            snapshot.Add(new RecordFields { Kind = RecordKind.Databases }, default, databases, databases.Length);
        for (int keyspace = 0; keyspace < store.KeyspaceCount; keyspace++)
            Write(store.SelectKeyspace(keyspace), (byte)keyspace, snapshot, written, pace);
    }

    private static void Write(
        CacheStore store, byte keyspace, SnapshotWriter snapshot, Action<int>? written, Action<long>? pace)
    {
        var keys = new KeyBatch();
        var value = new ValueSink();
        ulong cursor = 0;
        do
        {
            cursor = store.Scan(cursor, ScanCount, ref keys);
            int told = 0;
            for (int i = 0; i < keys.Count; i++)
            {
                if (store.TryPeekStored(keys[i], ref value, out var info))
                    snapshot.Add(FieldsOf(info, keyspace), keys[i], value.Bytes, value.Length);
                else if (info.Kind == EntryKind.Stream)
                    throw new IOException($"The store has a value of kind {info.Kind}, which no file can hold yet.");
                if (value.Length < LongValueMin)
                    continue;
                written?.Invoke(i + 1 - told);
                pace?.Invoke(snapshot.Length);
                told = i + 1;
            }

            written?.Invoke(keys.Count - told);
            pace?.Invoke(snapshot.Length);
            keys.Clear();
        }
        while (cursor != 0);
    }

    private static RecordFields FieldsOf(in EntryInfo info, byte keyspace)
    {
        bool isSliding = info.SlidingMs != 0;
        bool isExpiring = !isSliding && info.ExpiresAtUnixMs != 0;
        return new RecordFields
        {
            Kind = RecordKind.Set,
            Flags = (info.IsMain ? RecordFlags.Main : RecordFlags.None)
                | (isSliding ? RecordFlags.Sliding : RecordFlags.None)
                | (isExpiring ? RecordFlags.Expiring | RecordFlags.Moment : RecordFlags.None),
            Keyspace = keyspace,
            Type = StoredType.Of(info.Kind),
            DeadlineMs = info.ExpiresAtUnixMs,
            SlidingMs = info.SlidingMs,
            AbsoluteMs = info.AbsoluteUnixMs,
            Use = info.UseCount,
        };
    }
}
