using Cache.Core;

namespace Cache.Durability.Attachment;

/// <summary>Keeps loaded entries from expiring until the last record was read.</summary>
/// <remarks>
/// A later record may give an expired entry a later expiry: a moment that has passed, or will pass soon, is moved far
/// into the future until <see cref="End"/>. For expiry the time is then at least that of the last block, even if the
/// clock was set back meanwhile: an entry or field that clients have seen expire never comes back. The threads of a
/// load share it until then.
/// </remarks>
/// <param name="startMs">When the load began.</param>
internal sealed class LoadedExpiry(long startMs)
{
    // Longer than any load takes.
    private const long SoonMs = 3_600_000;

    // Added to a moment during the load: some 140,000 years.
    private const long Postponement = 1L << 52;

    private const int ScanCount = 1_000;

    private long _lastWallMs;
    private volatile bool _hasPostponed;
    private bool _endsFields;

    /// <summary>When the load began.</summary>
    public long StartMs => startMs;

    /// <summary>Lets entries expire, after the last record.</summary>
    /// <param name="keyspaces">The store, by each of its keyspaces.</param>
    /// <param name="lastWallMs">When the last block was written.</param>
    public void End(CacheStore[] keyspaces, long lastWallMs)
    {
        _lastWallMs = lastWallMs;
        if (!_hasPostponed && lastWallMs <= startMs)
            return;
        // The fields that had expired go now: if they were only hidden until then, new ones would be hidden too.
        _endsFields = lastWallMs > startMs;
        if (_endsFields)
            keyspaces[0].ReleaseFields(lastWallMs);
        foreach (var store in keyspaces)
            EndPostponement(store);
    }

    /// <summary>A load may take longer than the interval, or than it is to the last moment.</summary>
    public EntryOptions Sliding(long slidingMs, long absoluteMs)
    {
        slidingMs = Math.Min(slidingMs, Postponement - 1);
        long postponedMs = Postponed(absoluteMs);
        if (slidingMs > SoonMs && postponedMs == absoluteMs)
            return new EntryOptions { SlidingMs = slidingMs, ExpiresAtUnixMs = absoluteMs };
        NotePostponed();
        return new EntryOptions { SlidingMs = slidingMs + Postponement, ExpiresAtUnixMs = postponedMs };
    }

    /// <summary>The moment at which the entry may expire during the load.</summary>
    public long Postponed(long unixMs)
    {
        if (unixMs == 0)
            return 0;
        if (unixMs > startMs + SoonMs)
            return unixMs >= Postponement ? Math.Max(unixMs, 2 * Postponement) : unixMs;
        NotePostponed();
        return Math.Max(1, unixMs) + Postponement;
    }

    // Written once: the threads share its cache line.
    private void NotePostponed()
    {
        if (!_hasPostponed)
            _hasPostponed = true;
    }

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
                if (_endsFields && info.Kind == EntryKind.Hash)
                    store.RemoveExpiredFields(key);
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

    // The interval begins now.
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

        if (store.ExpireSliding(key, info.SlidingMs - Postponement, absoluteMs) == WriteStatus.OutOfMemory)
            store.Remove(key); // Otherwise it would never expire.
    }

    private static bool IsPostponed(long unixMs) => unixMs is > Postponement and < 2 * Postponement;

    private readonly struct KeySink() : IKeySink
    {
        public List<byte[]> Keys { get; } = [];

        public bool IsFull => false;

        public void Take(ReadOnlySpan<byte> key) => Keys.Add(key.ToArray());
    }
}
