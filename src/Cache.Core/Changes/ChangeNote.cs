namespace Cache.Core.Changes;

/// <summary>A change of a key, and why it came.</summary>
public readonly ref struct ChangeNote
{
    /// <summary>The key; empty of a clear. Valid during the call.</summary>
    public ReadOnlySpan<byte> Key { get; init; }

    /// <summary>The keyspace.</summary>
    public int Keyspace { get; init; }

    /// <summary>What was done.</summary>
    public ChangeKind Kind { get; init; }

    /// <summary>Why.</summary>
    public ChangeCause Cause { get; init; }
}
