using System.Globalization;
using Cache.Concurrency.Tests.Linearizability;
using Cache.Server;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Histories;

/// <summary>
/// Histories of clients over TCP on few keys, while connections are cut off and the memory limit is met: each key's is
/// linearizable.
/// </summary>
/// <remarks>
/// Between rounds nobody works and no cut connection is left in the server, so that each round is a history of its own.
/// The environment variable CACHE_HISTORY_ROUNDS makes more of them.
/// </remarks>
public sealed class ServerHistoryTests(ITestOutputHelper output)
{
    private const string RoundsVariable = "CACHE_HISTORY_ROUNDS";
    private const int RoundsDefault = 30;
    private const int Clients = 6;
    private const int OperationsPerRound = 420;
    private const int FewKeys = 3;
    private const int ManyKeys = 24;
    private const long RoomyBytes = 64 << 20;
    private const long TightBytes = 2 << 20;

    public static TheoryData<RespTransport, bool> Rows
    {
        get
        {
            var rows = new TheoryData<RespTransport, bool>();
            foreach (var transport in HistoryServer.Transports)
            {
                rows.Add(transport, false);
                rows.Add(transport, true);
            }

            return rows;
        }
    }

    private static int Rounds =>
        int.TryParse(Environment.GetEnvironmentVariable(RoundsVariable), out int rounds) ? rounds : RoundsDefault;

    [Theory]
    [MemberData(nameof(Rows))]
    public Task Histories_ConnectionsCutAndLimitMet_AreLinearizable(RespTransport transport, bool isTight) =>
        RandomSeed.RunAsync(this, async seed =>
        {
            await using var server = await HistoryServer.StartAsync(transport, isTight ? TightBytes : RoomyBytes);
            string[] keys = [.. Enumerable.Range(0, isTight ? ManyKeys : FewKeys).Select(static i => $"key:{i}")];
            HistoryClient[] clients =
                [.. Enumerable.Range(0, Clients).Select(i => new HistoryClient(server, keys, i, new Random(seed + i)))];
            using var observer = server.Connect();
            using var disturber = new HistoryDisturber(server, clients, isTight, new Random(~seed));
            int operations = 0;
            for (int round = 0; round < Rounds; round++)
            {
                var initial = keys.Select(key => StateOf(observer.Ask("GET", key)[0])).ToArray();
                TestThreads.Run(Clients + 1, TimeSpan.FromSeconds(10), (thread, stop) =>
                {
                    if (thread == Clients)
                        disturber.Run(stop);
                    else
                        disturber.During(() => clients[thread].Record(OperationsPerRound));
                });
                server.AwaitConnections(2 + clients.Count(static client => client.IsConnected));
                for (int key = 0; key < keys.Length; key++)
                    operations += Check(clients, key, initial[key], round, isTight);
                foreach (var client in clients)
                    client.Clear();
            }

            int lost = clients.Sum(static client => client.LostCount);
            long evictions = server.Store.GetStatistics().Evictions;
            output.WriteLine($"{operations} operations, {lost} answers lost, {evictions} evictions.");
            Assert.InRange(operations, Rounds * Clients * OperationsPerRound, int.MaxValue);
            Assert.NotEqual(0, lost);
            Assert.Equal(isTight, evictions > 0);
            foreach (var client in clients)
                client.Dispose();
        });

    private static KeyState StateOf(string? value) =>
        value is null ? KeyState.Absent : KeyState.Present(long.Parse(value, CultureInfo.InvariantCulture));

    private static int Check(HistoryClient[] clients, int key, KeyState initial, int round, bool mayEvict)
    {
        KeyOperation[] history = [.. clients.SelectMany(client => client.HistoryOf(key))];
        Assert.True(
            LinearizabilityChecker.IsLinearizable(history, initial, mayEvict),
            $"The history of key {key} in round {round} is not linearizable ({history.Length} operations): "
            + string.Join(Environment.NewLine, history.OrderBy(static operation => operation.InvokedAt)));
        return history.Length;
    }
}
