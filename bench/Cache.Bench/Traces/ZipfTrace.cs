namespace Cache.Bench.Traces;

/// <summary>Requests whose frequency falls with the rank of their object: rank r has the weight r^-skew.</summary>
internal static class ZipfTrace
{
    public static uint[] Create(int objects, int requests, double skew)
    {
        var sums = new double[objects];
        double sum = 0;
        for (int i = 0; i < objects; i++)
            sums[i] = sum += Math.Pow(i + 1, -skew);
        var random = new Random(1); // The same for each mode and run.
        var ids = new uint[requests];
        for (int i = 0; i < ids.Length; i++)
        {
            int found = Array.BinarySearch(sums, random.NextDouble() * sum);
            ids[i] = (uint)Math.Min(objects - 1, found < 0 ? ~found : found);
        }

        return ids;
    }
}
