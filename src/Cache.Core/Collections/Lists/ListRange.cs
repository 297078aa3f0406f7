namespace Cache.Core.Collections.Lists;

/// <summary>Indexes of a list that may count from its right end, as −1 for the last element.</summary>
internal static class ListRange
{
    /// <summary>The index from the left; negative or too large if there is no such element.</summary>
    public static long Resolve(long index, long count) => index < 0 ? index + count : index;

    /// <summary>The part of a range that is within a list.</summary>
    /// <returns>The first index, and the number of elements, perhaps 0.</returns>
    public static (long First, long Length) Within(long first, long last, long count)
    {
        first = Math.Max(Resolve(first, count), 0);
        last = Math.Min(Resolve(last, count), count - 1);
        return first > last ? (0, 0) : (first, last - first + 1);
    }
}
