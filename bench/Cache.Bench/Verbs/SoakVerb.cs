using System.CommandLine;
using System.Diagnostics;
using System.Net;
using Cache.Bench.ServerLoad;
using Cache.Bench.Subjects;
using Cache.Core;
using Cache.Server;

namespace Cache.Bench.Verbs;

/// <summary>Whether a server at its memory limit is after long what it was at first.</summary>
/// <remarks>
/// Server and clients are in this process, joined by TCP. Before the first minute counts, more is written than the
/// limit holds. Then each minute has its requests and its highest resident memory.
/// </remarks>
internal static class SoakVerb
{
    private const int Clients = 8;
    private const int KeysPerLimitMegabyte = 8_000;
    private const double ResidentGrowthMax = 1.10;
    private const double ThroughputMin = 0.95;

    // Many times what it takes; a store that evicts nothing by then is not at its limit.
    private static readonly TimeSpan _fillMax = TimeSpan.FromMinutes(5);

    private static readonly TimeSpan _sample = TimeSpan.FromMilliseconds(200);

    private static readonly Option<int> _minutes = new("--minutes")
    {
        DefaultValueFactory = static _ => 30,
        Description = "How long, after the store is full.",
    };

    private static readonly Option<int> _megabytes = new("--limit-mb")
    {
        DefaultValueFactory = static _ => 256,
        Description = "The store's memory limit.",
    };

    public static Command Create()
    {
        var verb = new Command(
            "soak", "Mixed load at the memory limit: memory and throughput of the last minute against the first.")
        {
            _minutes, _megabytes,
        };
        _minutes.RequireAtLeast(2);
        _megabytes.RequireAtLeast(16);
        verb.SetAction((arguments, token) => RunAsync(
            arguments.GetValue(_minutes), arguments.GetValue(_megabytes), token));
        return verb;
    }

    private static async Task<int> RunAsync(int minutes, int megabytes, CancellationToken token)
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = (long)megabytes << 20 });
        await using var server = new RespServer(store, new RespServerOptions { Port = 0 });
        await server.StartAsync(token);
        var endPoint = (IPEndPoint)server.EndPoints[0];
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(token);
        SoakClient[] clients =
        [
            .. Enumerable.Range(0, Clients).Select(i =>
                new SoakClient(endPoint, megabytes * KeysPerLimitMegabyte, new Random(i), stop.Token))
        ];
        Task[] runs = [.. clients.Select(static client => client.RunAsync())];
        await FillAsync(store, runs, token);

        var minuteFigures = new List<(long Requests, long ResidentBytes)>();
        var table = new TextTable("minute", "requests/s", "resident MB", "store MB", "evictions", "expirations");
        for (int minute = 1; minute <= minutes && !runs.Any(static run => run.IsCompleted); minute++)
        {
            var figures = await MeasureMinuteAsync(clients, runs, token);
            minuteFigures.Add(figures);
            var statistics = store.GetStatistics();
            table.Add(
                $"{minute}", $"{figures.Requests / 60}", $"{figures.ResidentBytes >> 20}",
                $"{statistics.MemoryBytes >> 20}", $"{statistics.Evictions}", $"{statistics.Expirations}");
        }

        await stop.CancelAsync();
        await Task.WhenAll(runs); // Whatever went wrong with a client comes out here.
        table.Print();
        Judge(minuteFigures);
        return 0;
    }

    private static async Task FillAsync(CacheStore store, Task[] runs, CancellationToken token)
    {
        long start = Stopwatch.GetTimestamp();
        while (store.GetStatistics().Evictions == 0 && !runs.Any(static run => run.IsCompleted))
        {
            if (Stopwatch.GetElapsedTime(start) > _fillMax)
                throw new WrongAnswerException($"Nothing was evicted within {_fillMax}.");
            await Task.Delay(_sample, token);
        }
    }

    private static async Task<(long Requests, long ResidentBytes)> MeasureMinuteAsync(
        SoakClient[] clients, Task[] runs, CancellationToken token)
    {
        long before = clients.Sum(static client => client.Requests);
        long start = Stopwatch.GetTimestamp();
        long most = 0;
        while (Stopwatch.GetElapsedTime(start) < TimeSpan.FromMinutes(1) && !runs.Any(static run => run.IsCompleted))
        {
            await Task.Delay(_sample, token);
            most = Math.Max(most, Environment.WorkingSet);
        }

        return (clients.Sum(static client => client.Requests) - before, most);
    }

    private static void Judge(List<(long Requests, long ResidentBytes)> minutes)
    {
        double resident = (double)minutes.Max(static minute => minute.ResidentBytes) / minutes[0].ResidentBytes;
        double throughput = (double)minutes[^1].Requests / minutes[0].Requests;
        Console.WriteLine($"resident, most / first minute {resident:F3}; requests, last / first {throughput:F3}");
        if (resident > ResidentGrowthMax)
            throw new WrongAnswerException($"The memory grew to {resident:F2} of the first minute's.");
        if (throughput < ThroughputMin)
            throw new WrongAnswerException($"The throughput fell to {throughput:F2} of the first minute's.");
    }
}
