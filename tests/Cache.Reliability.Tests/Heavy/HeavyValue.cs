namespace Cache.Reliability.Tests.Heavy;

/// <summary>A value of any length that takes no memory: a part of one pattern, which repeats itself.</summary>
internal readonly record struct HeavyValue(int Start, int Length)
{
    // A prime, so that values that are moved by a page or by a power of two are others.
    private const int PatternLength = 1_048_573;

    private static readonly byte[] _pattern = MakePattern();

    /// <summary>One of this length, unlike others.</summary>
    public static HeavyValue Next(Random random, int length) => new(random.Next(PatternLength), length);

    /// <summary>Its bytes, in a few parts.</summary>
    public IEnumerable<ReadOnlyMemory<byte>> Parts()
    {
        for (int at = 0; at < Length;)
        {
            int from = (int)(((long)Start + at) % PatternLength);
            int count = Math.Min(Length - at, PatternLength - from);
            yield return _pattern.AsMemory(from, count);
            at += count;
        }
    }

    /// <summary>What makes it longer by so much, appended to it.</summary>
    public HeavyValue Continuation(int length) => new((int)(((long)Start + Length) % PatternLength), length);

    /// <summary>Whether these are its bytes.</summary>
    public bool Equals(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length != Length)
            return false;
        foreach (var part in Parts())
        {
            if (!bytes[..part.Length].SequenceEqual(part.Span))
                return false;
            bytes = bytes[part.Length..];
        }

        return true;
    }

    private static byte[] MakePattern()
    {
        byte[] pattern = new byte[PatternLength];
        new Random(1).NextBytes(pattern);
        return pattern;
    }
}
