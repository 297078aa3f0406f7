namespace Cache.Core;

/// <summary>What is known of a stream without reading its entries.</summary>
public readonly record struct StreamInfo
{
    /// <summary>The number of entries.</summary>
    public long Length { get; init; }

    /// <summary>The number of entries that were ever appended.</summary>
    public long Added { get; init; }

    /// <summary>The greatest id that an entry has had.</summary>
    public StreamId LastId { get; init; }

    /// <summary>The greatest id of an entry that was removed by its id; 0-0: none was.</summary>
    public StreamId MaxRemovedId { get; init; }

    /// <summary>The id of the first entry; 0-0: there is none.</summary>
    public StreamId FirstId { get; init; }

    /// <summary>The id of the last entry; 0-0: there is none.</summary>
    public StreamId LastEntryId { get; init; }

    /// <summary>The number of groups.</summary>
    public long Groups { get; init; }

    /// <summary>The number of blocks that its entries are stored in.</summary>
    public long Blocks { get; init; }

    /// <summary>The number of elements of its trees: blocks of entries, groups, consumers, what is pending.</summary>
    public long Elements { get; init; }

    /// <summary>The pages of its trees, in bytes.</summary>
    public long PageBytes { get; init; }
}
