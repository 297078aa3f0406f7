namespace Cache.Durability.Format;

/// <summary>The fields of a record besides key and value.</summary>
internal struct RecordFields
{
    private const int UseShift = 3;

    public RecordKind Kind { get; set; }

    public byte Keyspace { get; set; }

    public RecordFlags Flags { get; set; }

    /// <summary>0: the value is plain; 1: LZ4; 2 to 15: LZ4 with a dictionary of this generation.</summary>
    public byte Codec { get; set; }

    /// <summary>0: a string; others are reserved for collections.</summary>
    public byte Type { get; set; }

    /// <summary>When the entry expires, in ms of the wall clock.</summary>
    public long DeadlineMs { get; set; }

    /// <summary>The time after each use at which the entry expires.</summary>
    public long SlidingMs { get; set; }

    /// <summary>The moment at which a sliding entry expires in any case; 0 if there is none.</summary>
    public long AbsoluteMs { get; set; }

    /// <summary>For a patch or a part: its offset in the value.</summary>
    public long Offset { get; set; }

    /// <summary>For a part: the LSN of the record with the key; for a group: its number.</summary>
    public ulong Owner { get; set; }

    /// <summary>How often the entry was used, 0 to 3.</summary>
    public int Use
    {
        readonly get => ((int)Flags >> UseShift) & 3;
        set => Flags = (Flags & ~(RecordFlags.UseLow | RecordFlags.UseHigh)) | (RecordFlags)(value << UseShift);
    }
}
