namespace Cache.Core;

/// <summary>One step of <see cref="CacheStore.ChangeBits"/>: a number of some bits within a value.</summary>
public record struct BitFieldStep
{
    /// <summary>What is done.</summary>
    public BitFieldAction Action { get; set; }

    /// <summary>Whether the number is a signed one, in two's complement.</summary>
    public bool IsSigned { get; set; }

    /// <summary>The number of bits: 1 to 64 of a signed number, 1 to 63 of another.</summary>
    public int Width { get; set; }

    /// <summary>The first bit, from 0: the highest bit of the first byte.</summary>
    public long Offset { get; set; }

    /// <summary>The number that is set or added.</summary>
    public long Value { get; set; }

    /// <summary>What becomes of a number that does not fit.</summary>
    public BitFieldOverflow Overflow { get; set; }

    /// <summary>The result, once the step was done; null if it failed for an overflow.</summary>
    public long? Result { get; internal set; }

    /// <summary>The length in bytes that a value must have for the step to write to it.</summary>
    internal readonly long LengthMin => Action == BitFieldAction.Get ? 0 : ((Offset + Width - 1) >> 3) + 1;
}
