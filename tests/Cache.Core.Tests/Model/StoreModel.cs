namespace Cache.Core.Tests.Model;

/// <summary>The store as its documentation has it: a dictionary and a moment of time.</summary>
internal sealed class StoreModel
{
    private readonly Dictionary<int, ModelEntry> _entries = [];
    private readonly Dictionary<int, int> _changes = [];

    public StoreModel()
    {
    }

    /// <summary>A copy that goes its own way.</summary>
    public StoreModel(StoreModel other)
    {
        NowMs = other.NowMs;
        _entries = new(other._entries);
        _changes = new(other._changes);
    }

    /// <summary>The time; moved on by the test.</summary>
    public long NowMs { get; set; }

    /// <summary>The keys of live entries.</summary>
    public int[] LiveKeys => [.. _entries.Keys.Where(key => Find(key) is not null)];

    /// <summary>How often a key was written, or went.</summary>
    public int ChangesOf(int key)
    {
        Find(key);
        return _changes.GetValueOrDefault(key);
    }

    /// <summary>The live entry of a key; one whose time has come goes.</summary>
    public ModelEntry? Find(int key)
    {
        if (!_entries.TryGetValue(key, out var entry))
            return null;
        if (entry.DeadlineMs == 0 || entry.DeadlineMs > NowMs)
            return entry;
        Remove(key);
        return null;
    }

    /// <summary>As <see cref="Find"/>, and renews a sliding expiry.</summary>
    public ModelEntry? Read(int key)
    {
        if (Find(key) is not { SlidingMs: > 0 } entry)
            return Find(key);
        return _entries[key] = entry with { DeadlineMs = Slide(entry.SlidingMs, entry.AbsoluteMs) };
    }

    public bool Remove(int key)
    {
        if (!_entries.Remove(key))
            return false;
        Changed(key);
        return true;
    }

    public WriteStatus Set(int key, byte[] value, in EntryOptions options)
    {
        var entry = Find(key);
        if (options.Condition == (entry is null ? SetCondition.IfPresent : SetCondition.IfAbsent))
            return WriteStatus.ConditionNotMet;
        if (entry is not null && options.KeepTtl)
            Put(key, entry with { Value = value });
        else
            Put(key, WithExpiry(value, options.ExpiresAtMs, options.SlidingMs));
        return WriteStatus.Done;
    }

    public WriteStatus SetRange(int key, int offset, byte[] part, int lengthMax, out int length)
    {
        var entry = Find(key) ?? new ModelEntry([], 0, 0, 0);
        length = entry.Value.Length;
        if (offset + part.Length > lengthMax)
            return WriteStatus.ValueTooLong;
        byte[] value = new byte[Math.Max(length, offset + part.Length)];
        entry.Value.CopyTo(value, 0);
        part.CopyTo(value, offset);
        length = value.Length;
        Put(key, entry with { Value = value });
        return WriteStatus.Done;
    }

    public WriteStatus SetBit(int key, int offset, bool bit, int lengthMax, out long? before)
    {
        byte[] value = Find(key)?.Value ?? [];
        byte present = offset / 8 < value.Length ? value[offset / 8] : (byte)0;
        int mask = 0x80 >> (offset % 8);
        before = (present & mask) != 0 ? 1 : 0;
        if (offset / 8 < value.Length && bit == (before == 1))
            return WriteStatus.Done; // Nothing was changed: the version stays.
        var status = SetRange(
            key, offset / 8, [(byte)(bit ? present | mask : present & ~mask)], lengthMax, out _);
        if (status != WriteStatus.Done)
            before = null;
        return status;
    }

    public WriteStatus Expire(int key, long expiresAtMs, ExpireConditions conditions)
    {
        if (Find(key) is not { } entry)
            return WriteStatus.NotFound;
        bool expires = entry.DeadlineMs != 0;
        long present = expires ? entry.DeadlineMs : long.MaxValue;
        if ((conditions.HasFlag(ExpireConditions.IfNone) && expires)
            || (conditions.HasFlag(ExpireConditions.IfAny) && !expires)
            || (conditions.HasFlag(ExpireConditions.IfLater) && expiresAtMs <= present)
            || (conditions.HasFlag(ExpireConditions.IfEarlier) && expiresAtMs >= present))
        {
            return WriteStatus.ConditionNotMet;
        }

        Put(key, WithExpiry(entry.Value, expiresAtMs, slidingMs: 0));
        return WriteStatus.Done;
    }

    public WriteStatus Persist(int key)
    {
        if (Find(key) is not { } entry)
            return WriteStatus.NotFound;
        if (entry.DeadlineMs == 0)
            return WriteStatus.ConditionNotMet;
        Put(key, WithExpiry(entry.Value, 0, 0));
        return WriteStatus.Done;
    }

    public WriteStatus Copy(int key, int newKey, SetCondition condition)
    {
        if (Find(key) is not { } entry)
            return WriteStatus.NotFound;
        if (condition == (Find(newKey) is null ? SetCondition.IfPresent : SetCondition.IfAbsent))
            return WriteStatus.ConditionNotMet;
        // A copy onto itself changes nothing.
        if (key != newKey)
            Put(newKey, entry);
        return WriteStatus.Done;
    }

    public WriteStatus Rename(int key, int newKey, SetCondition condition)
    {
        var status = Copy(key, newKey, condition);
        if (status == WriteStatus.Done && key != newKey)
            Remove(key);
        return status;
    }

    private ModelEntry WithExpiry(byte[] value, long expiresAtMs, long slidingMs) => new(
        value, slidingMs > 0 ? Slide(slidingMs, expiresAtMs) : expiresAtMs, expiresAtMs, slidingMs);

    private long Slide(long slidingMs, long absoluteMs) =>
        absoluteMs == 0 ? NowMs + slidingMs : Math.Min(absoluteMs, NowMs + slidingMs);

    // What has expired already only takes away what was there.
    private void Put(int key, ModelEntry entry)
    {
        Remove(key);
        if (entry.DeadlineMs != 0 && entry.DeadlineMs <= NowMs)
            return;
        Changed(key);
        _entries[key] = entry;
    }

    private void Changed(int key) => _changes[key] = _changes.GetValueOrDefault(key) + 1;
}
