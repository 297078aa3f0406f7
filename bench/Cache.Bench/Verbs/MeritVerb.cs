using System.CommandLine;
using System.Globalization;
using Cache.Bench.Subjects;

namespace Cache.Bench.Verbs;

/// <summary>Simulates what merit a large collection needs beside small entries; a use is of one element.</summary>
internal static class MeritVerb
{
    private const int Entries = 1_000_000;
    private const long Limit = 64 << 20;
    private const double Skew = 0.9;

    private static readonly Option<int> _requests = new("--requests")
    {
        Description = "How many requests are simulated; the first half is not counted.",
        DefaultValueFactory = static _ => 8_000_000,
    };

    // Name, collections, bytes of the shortest and the longest, share of the requests.
    private static readonly (string Name, int Count, int BytesMin, int BytesMax, double Share)[] _mixes =
    [
        ("many of 4 to 64 KB, half of the requests", 4_000, 4 << 10, 64 << 10, 0.5),
        ("many of 4 to 64 KB, a tenth", 4_000, 4 << 10, 64 << 10, 0.1),
        ("some of 64 KB to 1 MB, half", 400, 64 << 10, 1 << 20, 0.5),
        ("some of 64 KB to 1 MB, a hundredth", 400, 64 << 10, 1 << 20, 0.01),
        ("few of 1 to 16 MB, half", 20, 1 << 20, 16 << 20, 0.5),
        ("few of 1 to 16 MB, a thousandth", 20, 1 << 20, 16 << 20, 0.001),
    ];

    public static Command Create()
    {
        var verb = new Command("merit", "What stays of small entries and large collections by three rules of merit.")
        {
            _requests,
        };
        _requests.RequireAtLeast(2);
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        int requests = arguments.GetValue(_requests);
        var table = new TextTable(
            "collections", "rule", "hits", "of entries", "of collections", "MB loaded", "best hits");
        foreach (var (name, count, bytesMin, bytesMax, share) in _mixes)
        {
            foreach (var rule in Enum.GetValues<MeritRule>())
            {
                var load = new MeritWorkload(Entries, count, bytesMin, bytesMax, share, Skew);
                var (entries, collections, loaded) = Simulate(load, rule, requests);
                double hits = (1 - share) * entries + share * collections;
                table.Add(
                    name, $"{rule}", Text(hits), Text(entries), Text(collections), $"{loaded >> 20}",
                    Text(load.BestHitRatio(Limit)));
            }
        }

        table.Print();
        return 0;
    }

    private static (double Entries, double Collections, long Loaded) Simulate(
        MeritWorkload load, MeritRule rule, int requests)
    {
        var cache = new MeritCache(load, Limit, rule);
        var (all, hits) = (new long[2], new long[2]);
        long loadedBefore = 0;
        for (int i = 0; i < requests; i++)
        {
            if (i == requests / 2)
                loadedBefore = cache.BytesLoaded;
            int key = load.Next();
            bool isHit = cache.Request(key);
            if (i < requests / 2)
                continue;
            int kind = key < load.Entries ? 0 : 1;
            all[kind]++;
            hits[kind] += isHit ? 1 : 0;
        }

        return (Ratio(hits[0], all[0]), Ratio(hits[1], all[1]), cache.BytesLoaded - loadedBefore);
    }

    private static double Ratio(long hits, long all) => all == 0 ? 0 : (double)hits / all;

    private static string Text(double ratio) => ratio.ToString("F3", CultureInfo.InvariantCulture);
}
