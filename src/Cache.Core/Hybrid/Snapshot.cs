namespace Cache.Core.Hybrid;

/// <summary>The state of a key when a factory was asked for; the factory's value may replace only this state.</summary>
internal readonly struct Snapshot(EntryStamp stamp, byte[]? bytes)
{
    public EntryStamp Stamp { get; } = stamp;

    /// <summary>The whole value; null if there was none.</summary>
    public byte[]? Bytes { get; } = bytes;

    /// <summary>
    /// Whether a later snapshot has the same value, so that only another key's write, or expiry, changed the stamp.
    /// </summary>
    public bool IsStillThere(in Snapshot later, long nowMs)
    {
        if (Bytes is null) // Of a value that is not a string, only the version is known.
            return Stamp.Kind == EntryKind.None && later.Stamp.Kind == EntryKind.None;
        if (later.Bytes is null) // Expired is the same state; removed is not.
            return later.Stamp.Kind == EntryKind.None && Stamp.ExpiresAtMs != 0 && Stamp.ExpiresAtMs <= nowMs;
        return Stamp.ExpiresAtMs == later.Stamp.ExpiresAtMs && Bytes.AsSpan().SequenceEqual(later.Bytes);
    }
}
