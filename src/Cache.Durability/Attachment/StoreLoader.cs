using System.Globalization;
using Cache.Core;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;

namespace Cache.Durability.Attachment;

/// <summary>Loads the records of snapshot and journal into a store that is not in use yet.</summary>
/// <remarks>
/// A later record may give an expired entry a later expiry, so no entry may expire before the last record was read: a
/// moment that has passed, or will pass soon, is moved far into the future until <see cref="Complete"/>. For expiry the
/// time is then at least that of the last block, even if the clock was set back meanwhile: an entry that clients have
/// seen expire never comes back.
/// </remarks>
internal sealed class StoreLoader : IBlockTarget, IRecordTarget
{
    // Longer than any load takes.
    private const long SoonMs = 3_600_000;

    // Added to a moment during the load: some 140,000 years.
    private const long Postponement = 1L << 52;

    private const int ScanCount = 1_000;

    private readonly CacheStore[] _keyspaces;
    private readonly RecordReplay _replay;
    private readonly LoadProgress _progress;
    private readonly long _startMs;
    private long _lastWallMs;
    private bool _hasPostponed;
    private ValueSink _value = new();

    public StoreLoader(CacheStore store, LoadProgress? progress = null)
    {
        _progress = progress ?? new LoadProgress();
        _keyspaces = [.. Enumerable.Range(0, store.KeyspaceCount).Select(store.SelectKeyspace)];
        _replay = new RecordReplay(this);
        _startMs = store.TimeProvider.GetUtcNow().ToUnixTimeMilliseconds();
    }

    /// <summary>The number of loaded records.</summary>
    public long Count => _replay.Count;

    /// <summary>
    /// Whether the last block was written at least this long before the load; false if there was none.
    /// </summary>
    public bool IsOlderThan(TimeSpan age) => _lastWallMs != 0 && _startMs - _lastWallMs > age.TotalMilliseconds;

    /// <summary>The keyspace of each database number; null: the keyspace with the same number.</summary>
    public byte[]? Databases { get; private set; }

    public void Begin(long bytes) => _progress.TotalBytes = bytes;

    public void Apply(string file, long offset, in BlockHeader header, ReadOnlySpan<byte> payload)
    {
        _progress.Cancellation.ThrowIfCancellationRequested();
        _lastWallMs = Math.Max(_lastWallMs, header.WallMs);
        _replay.Apply(file, offset, header.FirstLsn, payload);
        _progress.LoadedBytes += BlockHeader.Size + payload.Length;
        _progress.Records = _replay.Count;
    }

    public void NoteGap() => _replay.NoteGap();

    /// <summary>Lets entries expire, after the last record.</summary>
    public void Complete()
    {
        if (!_hasPostponed && _lastWallMs <= _startMs)
            return;
        foreach (var store in _keyspaces)
            EndPostponement(store);
    }

    public string Apply(in RecordView record, ReadOnlySpan<byte> value)
    {
        var fields = record.Fields;
        if (fields.Keyspace >= _keyspaces.Length)
            return $"is of keyspace {fields.Keyspace}; the store has {_keyspaces.Length}";
        string problem = RecordRules.ProblemOf(fields);
        if (problem.Length != 0)
            return problem;
        if (fields.Kind == RecordKind.Databases)
            return SetDatabases(value);
        var store = _keyspaces[fields.Keyspace];
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
            default:
                return Patch(store, record, value);
        }
    }

    private string SetDatabases(ReadOnlySpan<byte> keyspaces)
    {
        string problem = RecordRules.ProblemOfDatabases(keyspaces, CacheOptions.KeyspaceCountMax);
        if (problem.Length != 0)
            return problem;
        for (int i = _keyspaces.Length; i < keyspaces.Length; i++)
        {
            if (keyspaces[i] != i)
                return $"swaps the database {i}; the store has {_keyspaces.Length}";
        }

        Databases = keyspaces[..Math.Min(keyspaces.Length, _keyspaces.Length)].ToArray();
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
        _ => "",
    };

    private void EndPostponement(CacheStore store)
    {
        var sink = new KeySink();
        ulong cursor = 0;
        do
        {
            cursor = store.Scan(cursor, ScanCount, ref sink);
            foreach (byte[] key in sink.Keys)
            {
                if (store.TryPeekInfo(key, out var info))
                    EndPostponement(store, key, info);
            }

            sink.Keys.Clear();
        }
        while (cursor != 0);
    }

    private void EndPostponement(CacheStore store, ReadOnlySpan<byte> key, in EntryInfo info)
    {
        if (info.SlidingMs >= Postponement)
        {
            EndSlidingPostponement(store, key, info);
            return;
        }

        long unixMs = info.ExpiresAtUnixMs;
        bool isPostponed = IsPostponed(unixMs);
        if (isPostponed)
            unixMs -= Postponement;
        if (unixMs != 0 && unixMs <= _lastWallMs && info.SlidingMs == 0)
            store.Remove(key);
        else if (isPostponed)
            store.ExpireAtUnixMs(key, unixMs, ExpireConditions.None);
    }

    // Written again, so that its interval begins now.
    private void EndSlidingPostponement(CacheStore store, ReadOnlySpan<byte> key, in EntryInfo info)
    {
        long absoluteMs = IsPostponed(info.AbsoluteUnixMs)
            ? info.AbsoluteUnixMs - Postponement
            : info.AbsoluteUnixMs;
        if (absoluteMs != 0 && absoluteMs <= _lastWallMs)
        {
            store.Remove(key);
            return;
        }

        var options = new EntryOptions
        {
            SlidingMs = info.SlidingMs - Postponement,
            ExpiresAtUnixMs = absoluteMs,
        };
        if (store.TryPeekRange(key, 0, -1, ref _value, out _)
            && store.Set(key, _value.Bytes.AsSpan(0, _value.Length), options) != WriteStatus.Done)
        {
            store.Remove(key); // Otherwise it would never expire.
        }
    }

    private string Set(CacheStore store, in RecordView record, ReadOnlySpan<byte> value)
    {
        var fields = record.Fields;
        bool isSliding = fields.SlidingMs != 0
            && (fields.AbsoluteMs == 0 || fields.AbsoluteMs > Math.Max(_startMs, _lastWallMs));
        var options = isSliding
            ? Sliding(fields.SlidingMs, fields.AbsoluteMs)
            : new EntryOptions
            {
                ExpiresAtUnixMs = Postponed(fields.SlidingMs != 0 ? fields.AbsoluteMs : fields.DeadlineMs),
            };
        return ProblemOf(store, store.Set(record.Key, value, options), value.Length);
    }

    private string Expire(CacheStore store, in RecordView record)
    {
        var status = record.Fields.DeadlineMs == 0
            ? store.Persist(record.Key)
            : store.ExpireAtUnixMs(record.Key, Postponed(record.Fields.DeadlineMs), ExpireConditions.None);
        return ProblemOf(store, status, length: 0);
    }

    // A load may take longer than the interval, or than it is to the last moment.
    private EntryOptions Sliding(long slidingMs, long absoluteMs)
    {
        slidingMs = Math.Min(slidingMs, Postponement - 1);
        long postponedMs = Postponed(absoluteMs);
        if (slidingMs > SoonMs && postponedMs == absoluteMs)
            return new EntryOptions { SlidingMs = slidingMs, ExpiresAtUnixMs = absoluteMs };
        _hasPostponed = true;
        return new EntryOptions { SlidingMs = slidingMs + Postponement, ExpiresAtUnixMs = postponedMs };
    }

    private static bool IsPostponed(long unixMs) => unixMs is > Postponement and < 2 * Postponement;

    private long Postponed(long unixMs)
    {
        if (unixMs == 0)
            return 0;
        if (unixMs > _startMs + SoonMs)
            return unixMs >= Postponement ? Math.Max(unixMs, 2 * Postponement) : unixMs;
        _hasPostponed = true;
        return Math.Max(1, unixMs) + Postponement;
    }

    private readonly struct KeySink() : IKeySink
    {
        public List<byte[]> Keys { get; } = [];

        public bool IsFull => false;

        public void Take(ReadOnlySpan<byte> key) => Keys.Add(key.ToArray());
    }
}
