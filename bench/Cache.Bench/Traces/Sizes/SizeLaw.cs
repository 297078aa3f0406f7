namespace Cache.Bench.Traces.Sizes;

/// <summary>Gives each id of a trace a length: Pareto's law between two bounds.</summary>
internal static class SizeLaw
{
    public const int LengthMin = 64;
    public const int LengthMax = 64 << 10;

    /// <summary>Lengths that follow from the ids alone: they say nothing of how often one is asked for.</summary>
    public static int[] Independent(int ids, double exponent) =>
        [.. Enumerable.Range(0, ids).Select(id => LengthAt(DrawOf(id), exponent))];

    /// <summary>
    /// Lengths of the same law, longer ones mostly for ids that are seldom asked for: the order is that of a draw and
    /// of the rank by requests, in equal parts.
    /// </summary>
    public static int[] LongAreCold(uint[] trace, int ids, double exponent)
    {
        var requests = new int[ids];
        foreach (uint id in trace)
            requests[id]++;
        int[] byRequests = [.. Enumerable.Range(0, ids)];
        double[] ranks = [.. byRequests.Select(id => DrawOf(id) - requests[id])]; // Of equal ones by the draw.
        Array.Sort(ranks, byRequests);
        int[] order = [.. Enumerable.Range(0, ids)];
        double[] places = new double[ids];
        for (int rank = 0; rank < ids; rank++)
            places[byRequests[rank]] = DrawOf(byRequests[rank] + ids) + (double)rank / ids;
        Array.Sort(places, order);
        var lengths = new int[ids];
        for (int place = 0; place < ids; place++)
            lengths[order[place]] = LengthAt((place + 0.5) / ids, exponent);
        return lengths;
    }

    /// <summary>The length below which such a part of all is.</summary>
    public static int LengthAt(double part, double exponent)
    {
        double longer = Math.Pow((double)LengthMin / LengthMax, exponent);
        double length = LengthMin * Math.Pow(1 - part * (1 - longer), -1 / exponent);
        return (int)Math.Clamp(length, LengthMin, LengthMax);
    }

    // SplitMix64 of the id, as a number from 0 to 1.
    private static double DrawOf(int id)
    {
        ulong word = ((ulong)(uint)id + 1) * 0x9E3779B97F4A7C15;
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
        return ((word ^ (word >> 31)) >> 11) * (1.0 / (1UL << 53));
    }
}
