namespace Cache.Core.Changes;

/// <summary>A change of a key and its cause.</summary>
public readonly ref struct ChangeNote
{
    /// <summary>The key; empty of a clear. Valid during the call.</summary>
    public ReadOnlySpan<byte> Key { get; init; }

    /// <summary>The keyspace.</summary>
    public int Keyspace { get; init; }

    /// <summary>The kind of change.</summary>
    public ChangeKind Kind { get; init; }

    /// <summary>The cause.</summary>
    public ChangeCause Cause { get; init; }

    /// <summary>The kind of the value that was written or removed; of a clear, None.</summary>
    public EntryKind EntryKind { get; init; }

    /// <summary>Whether a value was written to a key that had one.</summary>
    public bool IsReplaced { get; init; }

    /// <summary>
    /// Of a stream: whether its entries stay as they are, since a group was changed, or what is known of ids.
    /// </summary>
    public bool KeepsEntries { get; init; }
}
