namespace Cache.Core.Compression;

/// <summary>The constants of the LZ4 block format, and the rule for when a compressed value is kept.</summary>
/// <remarks>
/// A block is a list of sequences without a header; the last one ends after its literals:
/// <code>
///  ├─ 4 bits ──┼─ 4 bits ──┼─ 0..n ────┼───────────┼─ 2 ────┼─ 0..n ────┤
///  │ literals  │ match − 4 │ more of   │ literals  │ offset │ more of   │
///  │ (15: more)│ (15: more)│ literals  │           │ LE     │ match     │
///  └───────────┴───────────┴───────────┴───────────┴────────┴───────────┘
/// </code>
/// "More" is bytes whose sum counts, all but the last 255. A match copies bytes from `offset` before the write
/// position, and may overlap itself. Source: the description of the block format, LZ4 1.9.
/// </remarks>
internal static class Lz4Format
{
    /// <summary>A shorter match is written as literals.</summary>
    public const int MatchLengthMin = 4;

    /// <summary>The longest distance of a match.</summary>
    public const int OffsetMax = ushort.MaxValue;

    /// <summary>The number of bytes at the end of a block that are always literals.</summary>
    public const int LastLiterals = 5;

    /// <summary>No match begins in this many bytes at the end of a block.</summary>
    public const int MatchStartMargin = 12;

    /// <summary>A length of this or more continues behind the token.</summary>
    public const int LengthInTokenMax = 15;

    /// <summary>The longest compressed form that is kept: shorter by 8 bytes and an eighth of the value.</summary>
    /// <remarks>A smaller gain would not pay for the decoding. Negative for a value that is too short.</remarks>
    public static int KeptLengthMax(int valueLength) => valueLength - Math.Max(8, valueLength / 8);
}
