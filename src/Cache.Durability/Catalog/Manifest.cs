namespace Cache.Durability.Catalog;

/// <summary>The files of a store, the order in which they are read, and the state in which they were left.</summary>
internal sealed record Manifest
{
    /// <summary>A random number that every file of the directory repeats.</summary>
    public required ulong StoreId { get; init; }

    public ManifestState State { get; init; }

    /// <summary>The snapshot that is read first, if there is one.</summary>
    public string? Base { get; init; }

    /// <summary>The journals after it, in order.</summary>
    public IReadOnlyList<string> Journals { get; init; } = [];

    /// <summary>The sequence of the first block of the first journal.</summary>
    public ulong FromSequence { get; init; } = 1;

    /// <summary>A place before which no further record is written, even if no block says so.</summary>
    public ulong FromLsn { get; init; }

    /// <summary>For a clean one: the sequence of the last block of the journals.</summary>
    public ulong EndSequence { get; init; }
}
