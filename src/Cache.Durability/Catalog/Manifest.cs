namespace Cache.Durability.Catalog;

/// <summary>Which files hold a store, in which order they are read, and in what state they were left.</summary>
internal sealed record Manifest
{
    /// <summary>A random number; every file of the directory repeats it.</summary>
    public required ulong StoreId { get; init; }

    public ManifestState State { get; init; }

    /// <summary>The snapshot that is read first, if there is one.</summary>
    public string? Base { get; init; }

    /// <summary>The journals behind it, in their order.</summary>
    public IReadOnlyList<string> Journals { get; init; } = [];

    /// <summary>The sequence of the first block of the first journal.</summary>
    public ulong FromSequence { get; init; } = 1;

    /// <summary>No record that is written has a place before this one, even if no block says so.</summary>
    public ulong FromLsn { get; init; }

    /// <summary>Of a clean one: the sequence of the last block of the journals.</summary>
    public ulong EndSequence { get; init; }
}
