using System.Diagnostics;
using System.Globalization;
using Cache.Concurrency.Tests.Linearizability;
using Cache.Server;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Histories;

/// <summary>MSET and MGET of the same keys, over TCP while connections are cut: all or nothing, in one order.</summary>
public sealed class GroupHistoryTests(ITestOutputHelper output)
{
    private const int Clients = 6;
    private const int GroupSize = 8;
    private const int Rounds = 12;
    private const int OperationsPerRound = 250;

    public static TheoryData<RespTransport> Transports => [.. HistoryServer.Transports];

    [Theory]
    [MemberData(nameof(Transports))]
    public Task MSetAgainstMGet_ConnectionsCut_IsOneRegister(RespTransport transport) =>
        RandomSeed.RunAsync(this, async seed =>
        {
            await using var server = await HistoryServer.StartAsync(transport, 64 << 20);
            string[] keys = [.. Enumerable.Range(0, GroupSize).Select(static i => $"group:{i}")];
            var initial = KeyState.Absent;
            int lost = 0;
            int operations = 0;
            for (int round = 0; round < Rounds; round++)
            {
                var histories = new List<KeyOperation>[Clients];
                TestThreads.Run(Clients, TimeSpan.FromSeconds(10), (thread, _) => histories[thread] =
                    Record(server, keys, thread, round, new Random(seed + round * Clients + thread)));
                server.AwaitConnections(0);
                KeyOperation[] history = [.. histories.SelectMany(static one => one)];
                lost += history.Count(static operation => operation.IsLost);
                operations += history.Length;
                Assert.True(
                    LinearizabilityChecker.IsLinearizable(history, initial),
                    string.Join(Environment.NewLine, history.OrderBy(static operation => operation.InvokedAt)));
                using var observer = server.Connect();
                initial = KeyState.Present(NumberOf(observer.Ask(["MGET", .. keys])));
                observer.Dispose();
                server.AwaitConnections(0);
            }

            output.WriteLine($"{operations} operations, {lost} answers lost.");
            Assert.NotEqual(0, lost);
        });

    // A client that is cut off between two answers is replaced by another.
    private static List<KeyOperation> Record(
        HistoryServer server, string[] keys, int thread, int round, Random random)
    {
        var history = new List<KeyOperation>();
        RespConnection? connection = null;
        for (int i = 0; i < OperationsPerRound; i++)
        {
            connection ??= server.Connect();
            bool isWrite = random.Next(2) == 0;
            long number = ((round * OperationsPerRound) + i) * Clients + thread + 1;
            long invokedAt = Stopwatch.GetTimestamp();
            string?[]? reply = null;
            try
            {
                if (random.Next(100) == 0)
                    ThreadPool.UnsafeQueueUserWorkItem(static one => one.Cut(), connection, preferLocal: false);
                reply = connection.Ask(isWrite
                    ? ["MSET", .. keys.SelectMany(key => new[] { key, ValueOf(number, key) })]
                    : ["MGET", .. keys]);
            }
            catch (IOException)
            {
                connection.Dispose();
                connection = null;
            }

            var kind = isWrite ? OperationKind.Set : OperationKind.Get;
            bool found = reply?[0] is not null;
            long seen = reply is null || isWrite ? 0 : NumberOf(reply);
            long returnedAt = reply is null ? long.MaxValue : Stopwatch.GetTimestamp();
            history.Add(new KeyOperation(kind, thread, number, found, seen, invokedAt, returnedAt));
        }

        connection?.Dispose();
        return history;
    }

    // Of another length for each key and each write, so that entries move.
    private static string ValueOf(long number, string key) =>
        $"{number}:{new string('x', (int)((number + key[^1]) % 90))}";

    private static long NumberOf(string?[] values)
    {
        long[] numbers = [.. values.Select(static value =>
            value is null ? 0 : long.Parse(value.Split(':')[0], CultureInfo.InvariantCulture))];
        Assert.True(
            numbers.All(number => number == numbers[0]), $"Parts of several writes: {string.Join(", ", numbers)}.");
        return numbers[0];
    }
}
