using Cache.Server;
using Cache.Testing;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Random sessions of valid, mutated and hostile requests leave the server whole and answering.</summary>
/// <remarks>
/// More than a million requests; with the environment variable CACHE_FUZZ_MINUTES, so many minutes for each test.
/// </remarks>
public sealed class SessionFuzzTests(ITestOutputHelper output)
{
    private const int InMemoryRequests = 900_000;
    private const double FirstShare = 0.2;
    private const int TcpRequests = 60_000;
    private const int HotRequests = 100_000;
    private const int RequestsPerSession = 2_000;

    // What the process may hold after the sessions above what it held after the first ones: besides, the shared pool
    // keeps arrays for each thread, more or fewer. Forty bytes lost with each request would be more.
    private const int HeapSlackPercent = 5;
    private const long HeapSlackBytes = 32 << 20;

    public static TheoryData<RespTransport> Transports => [.. FuzzTransports.Offered];

    [Fact]
    public Task Sessions_InMemory_LeaveTheServerWhole() => RandomSeed.RunAsync(this, async seed =>
    {
        await RunLanesAsync(~seed, new FuzzBudget((long)(InMemoryRequests * FirstShare), FirstShare));
        long heapBefore = GC.GetTotalMemory(forceFullCollection: true);
        var budget = new FuzzBudget(InMemoryRequests, 1 - FirstShare);
        await RunLanesAsync(seed, budget);
        long heapAfter = GC.GetTotalMemory(forceFullCollection: true);
        output.WriteLine($"{budget.Done} requests; managed heap {heapBefore} bytes before, {heapAfter} after.");
        Assert.InRange(heapAfter, 0, heapBefore + heapBefore * HeapSlackPercent / 100 + HeapSlackBytes);
    });

    [Fact]
    public Task Sessions_OverKeysOfOneBucket_LeaveTheServerWhole() => RandomSeed.RunAsync(this, async seed =>
    {
        var budget = new FuzzBudget(HotRequests);
        for (int i = 0; !budget.IsSpent; i++)
        {
            var random = new Random(SeedOf(seed, lane: 0, i));
            var session = new SessionGenerator(random, HotWriter.Keys).Next(RequestsPerSession);
            budget.Add(await FuzzCorpus.RunAsync(session, InMemorySessionRun.RunHotAsync));
        }

        output.WriteLine($"{budget.Done} requests.");
    });

    [Theory]
    [MemberData(nameof(Transports))]
    public Task Sessions_OverTcp_LeaveTheServerWhole(RespTransport transport) => RandomSeed.RunAsync(this, async seed =>
    {
        var budget = new FuzzBudget(TcpRequests);
        await using var run = await TcpSessionRun.StartAsync(transport);
        for (int i = 0; !budget.IsSpent; i++)
        {
            var random = new Random(SeedOf(seed, lane: 0, i));
            var session = new SessionGenerator(random, subscribes: true).Next(RequestsPerSession);
            budget.Add(await FuzzCorpus.RunAsync(session, one => RunAloneAsync(one, session, run, transport)));
        }

        await run.CheckAfterwardsAsync();
        output.WriteLine($"{budget.Done} requests.");
    });

    private static Task RunLanesAsync(int seed, FuzzBudget budget) => Task.WhenAll(
        Enumerable.Range(0, Environment.ProcessorCount).Select(lane =>
            Task.Run(() => RunSessionsAsync(seed, budget, lane))));

    private static async Task RunSessionsAsync(int seed, FuzzBudget budget, int lane)
    {
        for (int i = 0; !budget.IsSpent; i++)
        {
            var random = new Random(SeedOf(seed, lane, i));
            var session = new SessionGenerator(random, subscribes: true).Next(RequestsPerSession);
            budget.Add(await FuzzCorpus.RunAsync(session, InMemorySessionRun.RunAsync));
        }
    }

    // The whole session runs on the common server; its shorter forms on servers of their own.
    private static async Task<int> RunAloneAsync(
        FuzzSession session, FuzzSession whole, TcpSessionRun common, RespTransport transport)
    {
        if (session == whole)
            return common.Run(session);
        await using var run = await TcpSessionRun.StartAsync(transport);
        return run.Run(session);
    }

    // Not HashCode, whose numbers differ from process to process.
    private static int SeedOf(int seed, int lane, int index) => unchecked((seed * 31 + lane) * 1_000_003 + index);
}
