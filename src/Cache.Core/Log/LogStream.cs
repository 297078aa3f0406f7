namespace Cache.Core.Log;

/// <summary>The streams of records that are kept in segments apart, as bits.</summary>
[Flags]
internal enum LogStream
{
    /// <summary>New records that never expire.</summary>
    Small = 0,

    /// <summary>Records that were read again.</summary>
    Main = 1,

    /// <summary>Records that expire: their segments empty themselves.</summary>
    Expiring = 2,

    /// <summary>
    /// A record that is longer than a segment, alone in its own. Not a stream, but a bit of the same set.
    /// </summary>
    Long = 4,

    /// <summary>Records that the reclaimer has moved, or looked at. A bit of the same set too.</summary>
    Moved = 8,
}
