using Cache.Core;
using Cache.Durability.Format;
using Cache.Durability.Journaling;

namespace Cache.Durability.Attachment;

/// <summary>Writes what a store holds into a snapshot, while others use it.</summary>
/// <remarks>
/// Of a key that is written meanwhile it has some state; so the journal that is read behind the snapshot must have
/// begun before. Keys that were not written since are exact. Uses count nothing and renew nothing.
/// </remarks>
internal static class StoreImage
{
    private const int ScanCount = 1_000;

    public static void Write(CacheStore store, SnapshotWriter snapshot)
    {
        for (int keyspace = 0; keyspace < store.KeyspaceCount; keyspace++)
            Write(store.SelectKeyspace(keyspace), (byte)keyspace, snapshot);
    }

    private static void Write(CacheStore store, byte keyspace, SnapshotWriter snapshot)
    {
        var keys = new KeyListSink();
        var value = new ValueSink();
        ulong cursor = 0;
        do
        {
            cursor = store.Scan(cursor, ScanCount, ref keys);
            foreach (byte[] key in keys.Keys)
            {
                if (store.TryPeekRange(key, 0, -1, ref value, out var info))
                    snapshot.Add(FieldsOf(info, keyspace), key, value.Bytes, value.Length);
            }

            keys.Keys.Clear();
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
            Flags = (isSliding ? RecordFlags.Sliding : RecordFlags.None)
                | (isExpiring ? RecordFlags.Expiring | RecordFlags.Moment : RecordFlags.None),
            Keyspace = keyspace,
            DeadlineMs = info.ExpiresAtUnixMs,
            SlidingMs = info.SlidingMs,
            AbsoluteMs = info.AbsoluteUnixMs,
        };
    }

    private readonly struct KeyListSink() : IKeySink
    {
        public List<byte[]> Keys { get; } = [];

        public bool IsFull => false;

        public void Take(ReadOnlySpan<byte> key) => Keys.Add(key.ToArray());
    }

    // One array for all values: as long as the longest one.
    private struct ValueSink() : IValueSink
    {
        public byte[] Bytes { get; private set; } = [];

        public int Length { get; private set; }

        public Span<byte> GetSpan(int length)
        {
            if (Bytes.Length < length)
                Bytes = GC.AllocateUninitializedArray<byte>(length);
            return Bytes.AsSpan(0, length);
        }

        public void Advance(int length) => Length = length;
    }
}
