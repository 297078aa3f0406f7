namespace Cache.Durability.Format;

/// <summary>Flags of a record.</summary>
[Flags]
internal enum RecordFlags : byte
{
    None = 0,

    /// <summary>A deadline follows the header.</summary>
    Expiring = 1,

    /// <summary>A sliding interval and the last moment follow the deadline.</summary>
    Sliding = 2,

    /// <summary>The entry was in the main list of the eviction policy.</summary>
    Main = 4,

    /// <summary>The two bits of its use count.</summary>
    UseLow = 8,
    UseHigh = 16,

    /// <summary>The deadline is a moment of the wall clock, not an interval since the write.</summary>
    Moment = 32,

    /// <summary>The value is not in the record: its parts came before.</summary>
    Parted = 64,

    /// <summary>Reserved: the last part of a transaction.</summary>
    Last = 128,
}
