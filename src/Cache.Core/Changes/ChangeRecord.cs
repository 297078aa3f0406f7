namespace Cache.Core.Changes;

/// <summary>
/// The result of one change of a key, without the bytes of key and value. A result, not a command.
/// </summary>
public readonly record struct ChangeRecord
{
    /// <summary>The kind of change; never <see cref="ChangeKind.None"/>.</summary>
    public ChangeKind Kind { get; init; }

    /// <summary>The kind of the value that was set or patched; else <see cref="EntryKind.None"/>.</summary>
    public EntryKind EntryKind { get; init; }

    /// <summary>The keyspace.</summary>
    public byte Keyspace { get; init; }

    /// <summary>Whether the value comes as a <see cref="ChangeValue"/>, and its bytes are in no reservation.</summary>
    public bool IsLent { get; init; }

    /// <summary>The length of the key; 0 of a clear.</summary>
    public int KeyLength { get; init; }

    /// <summary>The length of a set's value, or of a patch's part; else 0.</summary>
    public int ValueLength { get; init; }

    /// <summary>Where a patch's part begins in the value.</summary>
    public int Offset { get; init; }

    /// <summary>
    /// For a set or an expire: when the entry expires unless it is used before, in Unix milliseconds of the wall clock;
    /// 0: never.
    /// </summary>
    public long ExpiresAtUnixMs { get; init; }

    /// <summary>The interval without use after which it expires, in milliseconds; 0: none.</summary>
    public long SlidingMs { get; init; }

    /// <summary>With such an interval, the moment at which it expires even if used; 0: none.</summary>
    public long AbsoluteUnixMs { get; init; }
}
