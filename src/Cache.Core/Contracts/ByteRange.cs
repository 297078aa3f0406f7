namespace Cache.Core;

/// <summary>A part of a value, both ends included; a negative end counts from the end of the value.</summary>
internal readonly struct ByteRange(long first, long last)
{
    public static ByteRange All => new(0, -1);

    public static ByteRange None => new(1, 0);

    /// <summary>
    /// The part's place in a value of <paramref name="length"/> bytes, clipped to the value.
    /// </summary>
    public (int Offset, int Length) Within(int length)
    {
        long from = Math.Max(0, first < 0 ? first + length : first);
        long to = Math.Min(length - 1L, last < 0 ? last + length : last);
        return from > to ? (0, 0) : ((int)from, (int)(to - from + 1));
    }
}
