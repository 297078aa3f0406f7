namespace Cache.Core.Layout;

/// <summary>What a segment is used for.</summary>
/// <remarks>
/// <code>
///  Free ──taken──► Active ──full──► Sealed ──chosen──► Claimed ──emptied──► Free
///                                     │ ▲                 │
///                                     │ └──swept, kept────┘
///                                     └──last record died──► Free
/// </code>
/// Each change is a compare-exchange of the word with the generation, so a thread that was late changes nothing.
/// </remarks>
internal enum SegmentState
{
    /// <summary>Holds nothing; its bytes are those of its former records, or zeros.</summary>
    Free,

    /// <summary>Records are appended.</summary>
    Active,

    /// <summary>Nothing is appended any more.</summary>
    Sealed,

    /// <summary>One thread reads it record by record.</summary>
    Claimed,

    /// <summary>Continues the segment before, for a record longer than a segment.</summary>
    Continued,
}
