namespace Cache.Core;

/// <summary>One step of <see cref="CacheStore.ChangeBits"/>: a number of some bits within a value.</summary>
public record struct BitFieldStep
{
    /// <summary>The action.</summary>
    public BitFieldAction Action { get; set; }

    /// <summary>Whether the number is signed, in two's complement.</summary>
    public bool IsSigned { get; set; }

    /// <summary>The number of bits: 1 to 64 for a signed number, 1 to 63 for an unsigned one.</summary>
    public int Width { get; set; }

    /// <summary>The first bit, from 0: the highest bit of the first byte.</summary>
    public long Offset { get; set; }

    /// <summary>The number that is set or added.</summary>
    public long Value { get; set; }

    /// <summary>How a number that does not fit is handled.</summary>
    public BitFieldOverflow Overflow { get; set; }

    /// <summary>The result after the step; null if it failed for an overflow.</summary>
    public long? Result { get; internal set; }

    /// <summary>The length in bytes that a value must have for the step to write to it.</summary>
    internal readonly long LengthMin => Action == BitFieldAction.Get ? 0 : ((Offset + Width - 1) >> 3) + 1;
}
