using System.Diagnostics;

namespace Cache.Core.Collections.Objects;

/// <summary>Chooses ranks at random.</summary>
internal static class RandomRanks
{
    /// <summary>Fills a span with different ranks, each set of them as likely as any other.</summary>
    /// <remarks>
    /// Drawn again for those that came twice, and ordered, so that equal ones are neighbours. More than a half of all
    /// would be drawn too often: those that are left out are drawn then.
    /// </remarks>
    /// <param name="ranks">Receives them in ascending order.</param>
    /// <param name="count">The number of elements; at least as many as the span is long.</param>
    public static void Choose(Span<uint> ranks, uint count)
    {
        Debug.Assert((uint)ranks.Length <= count);
        if ((uint)ranks.Length > count / 2)
        {
            ChooseMost(ranks, count);
            return;
        }

        for (int chosen = 0; chosen < ranks.Length;)
        {
            foreach (ref uint rank in ranks[chosen..])
                rank = Next(count);
            chosen = RemoveEqual(ranks);
        }
    }

    /// <summary>A rank at random.</summary>
    public static uint Next(uint count) => (uint)Random.Shared.NextInt64(count);

    // Each is taken with the share of those that are still wanted among those that are left.
    private static void ChooseMost(Span<uint> ranks, uint count)
    {
        int chosen = 0;
        for (uint rank = 0; chosen < ranks.Length; rank++)
        {
            if (Next(count - rank) < (uint)(ranks.Length - chosen))
                ranks[chosen++] = rank;
        }
    }

    /// <summary>Orders ranks, and removes those that came twice.</summary>
    /// <returns>The number of those before; what is left of the span is drawn again.</returns>
    public static int RemoveEqual(Span<uint> ranks)
    {
        ranks.Sort();
        int kept = 0;
        foreach (uint rank in ranks)
        {
            if (kept == 0 || ranks[kept - 1] != rank)
                ranks[kept++] = rank;
        }

        return kept;
    }
}
