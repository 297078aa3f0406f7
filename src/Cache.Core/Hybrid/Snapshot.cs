namespace Cache.Core.Hybrid;

/// <summary>What was in the store when a factory was asked for; its value may take the place of just that.</summary>
internal readonly struct Snapshot(EntryStamp stamp, byte[]? bytes)
{
    public EntryStamp Stamp { get; } = stamp;

    /// <summary>The whole value; null if there was none.</summary>
    public byte[]? Bytes { get; } = bytes;

    /// <summary>
    /// Whether a later look found the same, so that the stamp was outdated by another key alone, or by the clock.
    /// </summary>
    public bool IsStillThere(in Snapshot later, long nowMs)
    {
        if (Bytes is null) // Of a value that is no string, nothing is known but its version.
            return Stamp.Kind == EntryKind.None && later.Stamp.Kind == EntryKind.None;
        if (later.Bytes is null) // Expired; else removed, since the value is no longer true.
            return later.Stamp.Kind == EntryKind.None && Stamp.ExpiresAtMs != 0 && Stamp.ExpiresAtMs <= nowMs;
        return Stamp.ExpiresAtMs == later.Stamp.ExpiresAtMs && Bytes.AsSpan().SequenceEqual(later.Bytes);
    }
}
