namespace Cache.Bench.Subjects;

/// <summary>Keys that all have one hash under h = 31 h + c, the hash of many a language's strings.</summary>
/// <remarks>Each pair of characters is one of two, "Aa" or "BB", that have the same: n pairs make 2^n keys.</remarks>
internal static class CollidingKeys
{
    public const int LengthMax = 62;

    /// <summary>The shortest length, of four bytes at least, that has so many keys.</summary>
    public static int LengthFor(int keys)
    {
        int length = 4;
        while (1L << (length / 2) < keys)
            length += 2;
        return length;
    }

    /// <summary>Writes a key; those of other indexes have the same length.</summary>
    /// <returns>The number of its bytes.</returns>
    public static int Write(int index, int length, Span<byte> key)
    {
        for (int i = 0; i + 1 < length; i += 2, index >>= 1)
        {
            key[i] = (index & 1) == 0 ? (byte)'A' : (byte)'B';
            key[i + 1] = (index & 1) == 0 ? (byte)'a' : (byte)'B';
        }

        return length;
    }

    public static uint UnkeyedHashOf(ReadOnlySpan<byte> key)
    {
        uint hash = 0;
        foreach (byte character in key)
            hash = unchecked(hash * 31 + character);
        return hash;
    }
}
