using System.Globalization;
using Cache.Core;
using Cache.Durability.Format;
using Cache.Durability.Recovery;

namespace Cache.Durability.Attachment;

/// <summary>Applies records to a store that is not in use yet, or those of a share of its keys.</summary>
/// <remarks>
/// No entry may expire before the last record was read, see <see cref="LoadedExpiry"/>. Each thread has its own; the
/// store takes all of them at once.
/// </remarks>
/// <param name="keyspaces">The store, by each of its keyspaces.</param>
/// <param name="expiry">Moves moments that will pass soon.</param>
internal sealed class RecordInserter(CacheStore[] keyspaces, LoadedExpiry expiry) : IRecordTarget
{
    private long _count;

    /// <summary>The number of applied records. Read by any thread.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>The keys whose records it applies; others are skipped.</summary>
    public KeyShare Share { get; set; }

    /// <summary>When the last block was written that was read before the present records, or with them.</summary>
    public long LastWallMs { get; set; }

    /// <summary>The keyspace of each database number; null: no record has told.</summary>
    public byte[]? Databases { get; private set; }

    /// <summary>Applies the records of a block.</summary>
    /// <param name="batch">The batch with the block.</param>
    /// <param name="block">The block.</param>
    /// <param name="replay">A replay whose target this is.</param>
    public void Apply(LoadBatch batch, in LoadedBlock block, RecordReplay replay)
    {
        LastWallMs = block.WallMs;
        replay.Apply(block.File, block.Offset, block.FirstLsn, batch.PayloadOf(block));
    }

    public void Prepare(in RecordView record)
    {
        int keyspace = record.Fields.Keyspace;
        if (record.Key.Length != 0 && keyspace < keyspaces.Length && Share.Has(record.Key))
            keyspaces[keyspace].BeginPrefetch(record.Key);
    }

    public string Apply(in RecordView record, ReadOnlySpan<byte> value)
    {
        var fields = record.Fields;
        if (fields.Keyspace >= keyspaces.Length)
            return $"is of keyspace {fields.Keyspace}; the store has {keyspaces.Length}";
        string problem = RecordRules.ProblemOf(fields);
        if (problem.Length == 0)
            problem = StoredType.ProblemOf(fields, value);
        if (problem.Length != 0)
            return problem;
        if (!Share.Has(record.Key))
            return "";
        Volatile.Write(ref _count, _count + 1);
        if (fields.Kind == RecordKind.Databases)
            return SetDatabases(value);
        var store = keyspaces[fields.Keyspace];
        switch (fields.Kind)
        {
            case RecordKind.Set:
                return Set(store, record, value);
            case RecordKind.Remove:
                store.Remove(record.Key);
                return "";
            case RecordKind.Expire:
                return Expire(store, record);
            case RecordKind.Clear:
                store.Clear();
                return "";
            case RecordKind.Elements:
                return ChangeElements(store, record, value);
            default:
                return Patch(store, record, value);
        }
    }

    private string SetDatabases(ReadOnlySpan<byte> numbers)
    {
        string problem = RecordRules.ProblemOfDatabases(numbers, CacheOptions.KeyspaceCountMax);
        if (problem.Length != 0)
            return problem;
        for (int i = keyspaces.Length; i < numbers.Length; i++)
        {
            if (numbers[i] != i)
                return $"swaps the database {i}; the store has {keyspaces.Length}";
        }

        Databases = numbers[..Math.Min(numbers.Length, keyspaces.Length)].ToArray();
        return "";
    }

    private static string Patch(CacheStore store, in RecordView record, ReadOnlySpan<byte> part)
    {
        // The entry may have been evicted.
        if (!store.TryPeekInfo(record.Key, out var info))
            return "";
        long offset = record.Fields.Offset;
        if (part.Length == 0 && offset > info.Length)
            return ProblemOf(store, store.SetRange(record.Key, (int)offset - 1, [0], out _), (int)offset);
        return ProblemOf(store, store.SetRange(record.Key, (int)offset, part, out int length), length);
    }

    private static string ProblemOf(CacheStore store, WriteStatus status, int length) => status switch
    {
        WriteStatus.OutOfMemory => string.Create(
            CultureInfo.InvariantCulture,
            $"finds no room: the limit of {store.MemoryLimitBytes} bytes is met, and nothing may be evicted"),
        WriteStatus.ValueTooLong => string.Create(
            CultureInfo.InvariantCulture,
            $"has a value of {length} bytes; the store takes {store.ValueLengthLimit}"),
        WriteStatus.CollectionTooLong => string.Create(
            CultureInfo.InvariantCulture,
            $"has a collection of {length} bytes, which the store cannot hold"),
        _ => "",
    };

    private string Set(CacheStore store, in RecordView record, ReadOnlySpan<byte> value)
    {
        var fields = record.Fields;
        bool isSliding = fields.SlidingMs != 0
            && (fields.AbsoluteMs == 0 || fields.AbsoluteMs > Math.Max(expiry.StartMs, LastWallMs));
        var options = isSliding
            ? expiry.Sliding(fields.SlidingMs, fields.AbsoluteMs)
            : new EntryOptions
            {
                ExpiresAtUnixMs = expiry.Postponed(fields.SlidingMs != 0 ? fields.AbsoluteMs : fields.DeadlineMs),
            };
        var kind = StoredType.KindOf(fields.Type);
        if (kind == EntryKind.String)
            store.NoteLoaded(value);
        options = options with
        {
            IsMain = (fields.Flags & RecordFlags.Main) != 0,
            UseCount = (byte)fields.Use,
        };
        return ProblemOf(store, store.SetStored(record.Key, kind, value, options), value.Length);
    }

    // Where they are too long for what the key has, that is of a later record, which comes again.
    private static string ChangeElements(CacheStore store, in RecordView record, ReadOnlySpan<byte> changes)
    {
        var status = store.ChangeStored(record.Key, StoredType.KindOf(record.Fields.Type), changes);
        return status == WriteStatus.CollectionTooLong ? "" : ProblemOf(store, status, changes.Length);
    }

    private string Expire(CacheStore store, in RecordView record)
    {
        var status = record.Fields.DeadlineMs == 0
            ? store.Persist(record.Key)
            : store.ExpireAtUnixMs(record.Key, expiry.Postponed(record.Fields.DeadlineMs), ExpireConditions.None);
        return ProblemOf(store, status, length: 0);
    }
}
