using System.Globalization;
using System.Text;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Live;

/// <summary>Loads a server with GETs and SETs, and tells how long they took.</summary>
/// <remarks>To see whether a server and the way to it do what they should. bench/ of the repository compares.</remarks>
internal static class BenchVerb
{
    private const int ClientsMax = 512;
    private const int PipelineMax = 1024;
    private const int SizeMax = 1 << 20;

    // What a client sends before it reads, and what comes back, fits into the buffers between: with more, both wait.
    private const int BatchBytesMax = 1 << 20;

    private const int SecondsMax = 3600;
    private const int KeysMax = 100_000_000;
    private const int PercentMax = 100;
    private const double MicrosecondsPerNanosecond = 0.001;

    private static readonly double[] s_percentiles = [50, 90, 99, 99.9, 99.99, 100];

    public static Verb Verb { get; } = new(
        "bench",
        [],
        "Loads a server with GETs and SETs of keys bench:N, and tells requests per second and percentiles.",
        [
            "",
            "--seconds N        how long, 5 if it is not given     --clients N    connections, 16",
            "--pipeline N       requests that a client sends at once, 1",
            "--keys N           different keys, 10000; they end after ten minutes",
            "--size N           bytes of a value, 64               --writes N     percentage of SETs, 10",
            .. ServerAddress.Help,
            "",
            "The percentiles are of the time from sending requests to the last of their replies, here.",
        ],
        ServerAddress.Options(
            ("--seconds", "N"), ("--clients", "N"), ("--pipeline", "N"), ("--keys", "N"), ("--size", "N"),
            ("--writes", "N")),
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        var plan = new BenchPlan(
            ServerAddress.Of(words),
            TimeSpan.FromSeconds(words.NumberOf("--seconds", 5, 1, SecondsMax)),
            words.NumberOf("--pipeline", 1, 1, PipelineMax),
            words.NumberOf("--keys", 10_000, 1, KeysMax),
            words.NumberOf("--size", 64, 0, SizeMax),
            words.NumberOf("--writes", 10, 0, PercentMax));
        if ((long)plan.Pipeline * plan.Size > BatchBytesMax)
        {
            throw new ToolException(
                $"--pipeline {plan.Pipeline} and --size {plan.Size}: a client would send more than {BatchBytesMax} "
                + "bytes at once, and wait for a server that waits for it.");
        }

        int count = words.NumberOf("--clients", 16, 1, ClientsMax);
        var clients = new List<BenchClient>();
        try
        {
            for (int i = 0; i < count; i++)
                clients.Add(new BenchClient(plan, i, time));
            long start = time.GetTimestamp();
            Run(clients);
            Tell(clients, time.GetElapsedTime(start), output);
        }
        finally
        {
            clients.ForEach(static client => client.Dispose());
        }

        return ExitCode.Whole;
    }

    private static void Run(List<BenchClient> clients)
    {
        var threads = clients.ConvertAll(static client => new Thread(client.Run) { IsBackground = true });
        threads.ForEach(static thread => thread.Start());
        threads.ForEach(static thread => thread.Join());
        if (clients.Find(static client => client.Failure is not null)?.Failure is { } failure)
            throw new ToolException($"A client ended early: {failure}");
    }

    private static void Tell(List<BenchClient> clients, TimeSpan took, Report output)
    {
        var latencies = BenchClient.Sum(clients);
        long requests = clients.Sum(static client => client.Requests);
        long hits = clients.Sum(static client => client.Hits);
        long reads = clients.Sum(static client => client.Reads);
        output.Line($"{requests / took.TotalSeconds:F0} requests/s: {requests} in {took.TotalSeconds:F1} s");
        output.Line($"{reads} reads, {(reads == 0 ? 0 : 100.0 * hits / reads):F1} % of them hits");
        var line = new StringBuilder("microseconds:");
        foreach (double percentile in s_percentiles)
        {
            string name = percentile == PercentMax ? "longest" : FormattableString.Invariant($"p{percentile}");
            double microseconds = latencies.PercentileOf(percentile) * MicrosecondsPerNanosecond;
            line.Append(CultureInfo.InvariantCulture, $"  {name} {microseconds:F0}");
        }

        output.Line(line.ToString());
    }
}
