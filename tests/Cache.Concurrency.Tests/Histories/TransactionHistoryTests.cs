using Cache.Concurrency.Tests.Linearizability;
using Cache.Server;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Histories;

/// <summary>
/// Transactions of several keys, over TCP while connections are cut and in process, beside writes that split the pages
/// of these keys: their history is that of one register.
/// </summary>
/// <remarks>The environment variable CACHE_HISTORY_ROUNDS makes more rounds: 400 are a million operations.</remarks>
public sealed class TransactionHistoryTests(ITestOutputHelper output)
{
    private const string RoundsVariable = "CACHE_HISTORY_ROUNDS";
    private const int RoundsDefault = 8;
    private const int Clients = 6;
    private const int OperationsPerRound = 220;
    private const int FillersPerRound = 400;

    public static TheoryData<RespTransport> Transports => [.. HistoryServer.Transports];

    private static int Rounds =>
        int.TryParse(Environment.GetEnvironmentVariable(RoundsVariable), out int rounds) ? rounds : RoundsDefault;

    [Theory]
    [MemberData(nameof(Transports))]
    public Task Transactions_ConnectionsCut_AreOneRegister(RespTransport transport) =>
        RandomSeed.RunAsync(this, async seed =>
        {
            await using var server = await HistoryServer.StartAsync(transport, 64 << 20);
            TransactionHistoryClient[] clients = [.. Enumerable.Range(0, Clients).Select(thread =>
                new TransactionHistoryClient(server, thread, isInProcess: thread == 0, new Random(seed + thread)))];
            var initial = KeyState.Absent;
            int operations = 0;
            for (int round = 0; round < Rounds; round++)
            {
                int number = round;
                TestThreads.Run(Clients + 1, TimeSpan.FromSeconds(10), (thread, _) =>
                {
                    if (thread < Clients)
                        clients[thread].Record(OperationsPerRound);
                    else
                        Fill(server, number);
                });
                foreach (var client in clients)
                    client.Dispose();
                server.AwaitConnections(0);
                KeyOperation[] history = [.. clients.SelectMany(static client => client.History)];
                operations += history.Length;
                Assert.True(
                    LinearizabilityChecker.IsLinearizable(history, initial),
                    string.Join(Environment.NewLine, history.OrderBy(static operation => operation.InvokedAt)));
                initial = TransactionHistoryClient.Read(server.Store) is { } last
                    ? KeyState.Present(last)
                    : KeyState.Absent;
            }

            int lost = clients.Sum(static client => client.LostCount);
            var conditional = clients.Select(static client => client.Conditional).ToArray();
            int all = conditional.Sum(static one => one.All);
            int done = conditional.Sum(static one => one.Done);
            output.WriteLine($"{operations} operations, {lost} answers lost, {done} of {all} conditional ones done.");
            Assert.InRange(operations, Rounds * Clients * OperationsPerRound, int.MaxValue);
            Assert.NotEqual(0, lost);
            Assert.NotEqual(0, done);
        });

    // New keys each time: pages are split, under the transactions.
    private static void Fill(HistoryServer server, int round)
    {
        byte[] value = new byte[100];
        for (int i = 0; i < FillersPerRound; i++)
            server.Store.Set(BitConverter.GetBytes((long)round * FillersPerRound + i), value);
    }
}
