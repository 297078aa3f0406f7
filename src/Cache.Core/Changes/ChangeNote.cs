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
}
