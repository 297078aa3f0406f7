namespace Cache.Core.Collections.Packed;

/// <summary>Where an entry of a packed collection lies: its number, and offsets behind the columns.</summary>
internal struct PackedPlace
{
    public int Index;

    /// <summary>Where its bytes begin, with the length of a long name.</summary>
    public int Start;
    public int NameStart;
    public int NameLength;

    /// <summary>Where the bytes of its value begin, with the length of a long one.</summary>
    public int ValueHead;
    public int ValueStart;
    public int ValueLength;

    /// <summary>When the field of a hash expires, in Unix milliseconds; 0: never.</summary>
    public long Moment;

    /// <summary>Where the next entry begins.</summary>
    public readonly int End => ValueStart + ValueLength;
}
