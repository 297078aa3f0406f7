namespace Cache.Core.Changes;

/// <summary>Room in a journal. Only the journal interprets its members; the store passes them along.</summary>
public struct ChangeReservation
{
    /// <summary>The object that holds the room.</summary>
    public object? Owner { get; set; }

    /// <summary>Where the next record goes: an address, or an offset.</summary>
    public nint Position { get; set; }

    /// <summary>The bytes left.</summary>
    public long Length { get; set; }

    /// <summary>A number, such as the one of the first record.</summary>
    public long Sequence { get; set; }
}
