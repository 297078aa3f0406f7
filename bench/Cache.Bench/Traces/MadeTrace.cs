namespace Cache.Bench.Traces;

/// <summary>Traces of which the share of the small list decides; the same in each run.</summary>
internal static class MadeTrace
{
    private const int Requests = 700_000;
    private const int Percent = 100;

    /// <summary>Keys that come back while they are new, and then never: a main list keeps them in vain.</summary>
    public static uint[] Recent()
    {
        const int NewPercent = 45;
        const double MeanAge = 6_000;
        var random = new Random(1);
        uint[] ids = new uint[Requests];
        int newest = -1;
        foreach (ref uint id in ids.AsSpan())
        {
            bool isNew = newest < 0 || random.Next(Percent) < NewPercent;
            int age = (int)(-Math.Log(1 - random.NextDouble()) * MeanAge);
            id = (uint)(isNew ? ++newest : Math.Max(0, newest - age));
        }

        return ids;
    }

    /// <summary>
    /// A loop over more keys than fit beside keys of Zipf's law: ghosts of the loop come back all the time.
    /// </summary>
    public static uint[] LoopAndHot()
    {
        const int LoopKeys = 25_000;
        const int HotKeys = 30_000;
        uint[] hot = ZipfTrace.Create(HotKeys, Requests / 2, skew: 0.9);
        uint[] ids = new uint[Requests];
        for (int i = 0; i < ids.Length; i++)
            ids[i] = i % 2 == 0 ? (uint)(i / 2 % LoopKeys) : LoopKeys + hot[i / 2];
        return ids;
    }
}
