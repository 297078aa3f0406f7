namespace Cache.Testing;

/// <summary>The ways in which the bytes of a payload may arrive: in pieces, one after the other.</summary>
public static class Splits
{
    /// <summary>Whole, cut in two at every position, and byte by byte.</summary>
    /// <param name="length">The payload's length in bytes.</param>
    /// <returns>For each way, the lengths of the pieces, none of them 0.</returns>
    public static IEnumerable<IReadOnlyList<int>> All(int length)
    {
        yield return [length];
        for (int i = 1; i < length; i++)
            yield return [i, length - i];
        yield return Enumerable.Repeat(1, length).ToArray();
    }
}
