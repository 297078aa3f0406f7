namespace Cache.Core.Changes;

/// <summary>Room in a journal. What its members mean is the journal's alone; the store only carries them.</summary>
public struct ChangeReservation
{
    /// <summary>What holds the room.</summary>
    public object? Owner { get; set; }

    /// <summary>Where the next record goes: an address, or an offset.</summary>
    public nint Position { get; set; }

    /// <summary>The bytes that are left.</summary>
    public long Length { get; set; }

    /// <summary>A number, such as the one of the first record.</summary>
    public long Sequence { get; set; }
}
