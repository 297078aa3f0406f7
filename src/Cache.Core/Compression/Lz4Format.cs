namespace Cache.Core.Compression;

/// <summary>The numbers of the LZ4 block format, and the rule of when a compressed value is kept.</summary>
/// <remarks>
/// A block is sequences without a header; the last one ends behind its literals:
/// <code>
///  ├─ 4 bits ──┼─ 4 bits ──┼─ 0..n ────┼───────────┼─ 2 ────┼─ 0..n ────┤
///  │ literals  │ match − 4 │ more of   │ literals  │ offset │ more of   │
///  │ (15: more)│ (15: more)│ literals  │           │ LE     │ match     │
///  └───────────┴───────────┴───────────┴───────────┴────────┴───────────┘
/// </code>
/// "More" is bytes that are added up, the last of them below 255. A match is bytes that stand `offset` before the
/// place that is written, its own among them. Source: the description of the block format, LZ4 1.9.
/// </remarks>
internal static class Lz4Format
{
    /// <summary>A shorter match is written as literals.</summary>
    public const int MatchLengthMin = 4;

    /// <summary>How far back a match may lie.</summary>
    public const int OffsetMax = ushort.MaxValue;

    /// <summary>So many bytes at the end of a block are literals.</summary>
    public const int LastLiterals = 5;

    /// <summary>No match begins in so many bytes at the end of a block.</summary>
    public const int MatchStartMargin = 12;

    /// <summary>A length of this and more goes on behind the token.</summary>
    public const int LengthInTokenMax = 15;

    /// <summary>How long a compressed value may be that is kept: 8 bytes shorter, and an eighth.</summary>
    /// <remarks>Less would not pay for its decoding. Negative for a value that is too short.</remarks>
    public static int KeptLengthMax(int valueLength) => valueLength - Math.Max(8, valueLength / 8);
}
