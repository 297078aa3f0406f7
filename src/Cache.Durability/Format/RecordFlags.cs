namespace Cache.Durability.Format;

/// <summary>What a record has besides its key and its value.</summary>
[Flags]
internal enum RecordFlags : byte
{
    None = 0,

    /// <summary>A deadline lies behind the header.</summary>
    Expiring = 1,

    /// <summary>A duration without use, and the last moment, lie behind the deadline.</summary>
    Sliding = 2,

    /// <summary>The entry was in the main list of the eviction policy.</summary>
    Main = 4,

    /// <summary>The two bits of how often it was used.</summary>
    UseLow = 8,
    UseHigh = 16,

    /// <summary>The deadline is a moment of the wall clock, not a duration from the write on.</summary>
    Moment = 32,

    /// <summary>The value is not here: its parts came before.</summary>
    Parted = 64,

    /// <summary>Reserved: of a transaction, no further part of it follows.</summary>
    Last = 128,
}
