namespace Cache.Durability.Format;

/// <summary>What a record says besides its key and its value.</summary>
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

    /// <summary>How long the entry lives after each use.</summary>
    public long SlidingMs { get; set; }

    /// <summary>The last moment of an entry that lives on with each use; 0 if there is none.</summary>
    public long AbsoluteMs { get; set; }

    /// <summary>Of a patch or a part: its place in the value.</summary>
    public long Offset { get; set; }

    /// <summary>Of a part: the LSN of the record with the key; of a group: its number.</summary>
    public ulong Owner { get; set; }

    /// <summary>How often the entry was used, 0 to 3.</summary>
    public int Use
    {
        readonly get => ((int)Flags >> UseShift) & 3;
        set => Flags = (Flags & ~(RecordFlags.UseLow | RecordFlags.UseHigh)) | (RecordFlags)(value << UseShift);
    }
}
