using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Transactions;

/// <summary>
/// Transactions of several clients with overlapping keys in any order, beside clients and callers in process that read
/// and write the same keys, while pages are split, entries expire and are evicted, and small hashes become large.
/// </summary>
public sealed class TransactionTortureTests
{
    private const int Accounts = 12;
    private const int Rounds = 400;
    private const long Balance = 1_000;

    [Fact]
    public void Exec_CrossingKeysAmongAllDoors_LosesNothingAndShowsNoHalf() => RandomSeed.Run(this, seed =>
    {
        using var store = Store();
        var server = TestServerState.Create(store);
        var setup = new CommandClient(server);
        for (int i = 0; i < Accounts; i++)
        {
            setup.Run($"SET a{i} {Balance}");
            setup.Run($"HSET h{i} n {Balance}");
        }

        Run(
            seed,
            random => TransferByExec(new CommandClient(server), random),
            random => TransferByExec(new CommandClient(server), random),
            random => TransferBesideAllKeys(new CommandClient(server), random),
            random => TransferInProcess(store, random),
            random => ObserveByExec(new CommandClient(server), random),
            _ => ObserveInProcess(store),
            random => Churn(store, random));

        Assert.Equal(2 * Accounts * Balance, SumIn(Queue(new CommandClient(server), ReadAll())));
    });

    [Fact]
    public void Exec_WatchedCounters_CountsEachSuccessOnce() => RandomSeed.Run(this, seed =>
    {
        using var store = Store();
        var server = TestServerState.Create(store);
        var setup = new CommandClient(server);
        setup.Run("SET c 0");
        setup.Run("HSET h n 0");
        for (int i = 0; i < 400; i++) // A large collection, whose writes lock no key.
            setup.Run($"HSET g f{i} {new string('x', 40)}");
        setup.Run("HSET g n 0");
        long[] done = new long[3];
        Run(
            seed,
            random => IncrementWatched(new CommandClient(server), random, done),
            random => IncrementWatched(new CommandClient(server), random, done),
            random => IncrementInProcess(store, random, done),
            random => Churn(store, random));

        Assert.Equal($"{done[0]}", Text(setup.Run("GET c")));
        Assert.Equal($"{done[1]}", Text(setup.Run("HGET h n")));
        Assert.Equal($"{done[2]}", Text(setup.Run("HGET g n")));
        Assert.Equal(0, server.Watches.Count);
    });

    private static CacheStore Store() => new(new CacheOptions
    {
        MemoryLimitBytes = 8 << 20,
        ShardCount = 2,
        Eviction = EvictionPolicy.ExpiringEntries,
    });

    private static void Run(int seed, params Action<Random>[] bodies)
    {
        var failures = new List<Exception>();
        var threads = bodies.Select((body, index) => new Thread(() =>
        {
            try
            {
                body(new Random(seed + index));
            }
            catch (Exception e)
            {
                lock (failures)
                    failures.Add(e);
            }
        })).ToList();
        threads.ForEach(static thread => thread.Start());
        threads.ForEach(static thread => thread.Join());
        if (failures.Count > 0)
            throw new AggregateException(failures);
    }

    private static void TransferByExec(CommandClient client, Random random)
    {
        for (int i = 0; i < Rounds; i++)
        {
            var (from, to, amount) = Transfer(random);
            string[] commands =
            [
                $"DECRBY a{from} {amount}",
                $"HINCRBY h{to} n {amount}",
                $"HSET h{to} f{random.Next(200)} {new string('x', random.Next(60))}",
                $"GET a{random.Next(Accounts)}",
                $"INCRBY a{to} {2 * amount}",
                $"HINCRBY h{from} n {-2 * amount}",
            ];
            random.Shuffle(commands);
            Assert.StartsWith("*6\r\n", Queue(client, commands), StringComparison.Ordinal);
        }
    }

    // What needs all keys is executed apart, alone among the clients; the transfer itself is one part of it.
    private static void TransferBesideAllKeys(CommandClient client, Random random)
    {
        string[] others = ["RANDOMKEY", "SCAN 0", "SORT nothing BY w* GET v*", "SWAPDB 1 2", "CONFIG SET hz 10"];
        for (int i = 0; i < Rounds / 20; i++)
        {
            var (from, to, amount) = Transfer(random);
            Queue(
                client, others[random.Next(others.Length)], $"DECRBY a{from} {amount}", $"INCRBY a{to} {amount}",
                others[random.Next(others.Length)]);
        }
    }

    private static void TransferInProcess(CacheStore store, Random random)
    {
        for (int i = 0; i < Rounds; i++)
        {
            var (from, to, amount) = Transfer(random);
            byte[][] keys = [Key("a", from), Key("h", to), Key("a", to)];
            random.Shuffle(keys);
            KeyedTransaction.Run(store, keys, 1, 3, view =>
            {
                Assert.Equal(WriteStatus.Done, view.Increment(Key("a", from), -amount, out _));
                Assert.Equal(WriteStatus.Done, view.Hash(Key("h", to)).Increment("n"u8, amount - 1, out _));
                Assert.Equal(WriteStatus.Done, view.Increment(Key("a", to), 1, out _));
            });
        }
    }

    private static void ObserveByExec(CommandClient client, Random random)
    {
        string[] reads = ReadAll();
        for (int i = 0; i < Rounds / 4; i++)
        {
            random.Shuffle(reads);
            Assert.Equal(2 * Accounts * Balance, SumIn(Queue(client, reads)));
        }
    }

    private static void ObserveInProcess(CacheStore store)
    {
        byte[][] keys =
        [
            .. Enumerable.Range(0, Accounts).Select(static i => Key("a", i)),
            .. Enumerable.Range(0, Accounts).Select(static i => Key("h", i)),
        ];
        for (int i = 0; i < Rounds / 4; i++)
        {
            long sum = 0;
            KeyedTransaction.Run(store, keys, 1, 0, view =>
            {
                for (int account = 0; account < Accounts; account++)
                {
                    sum += Number(view.GetArray(keys[account]));
                    sum += Number(view.Hash(keys[Accounts + account]).GetArray("n"u8));
                }
            });
            Assert.Equal(2 * Accounts * Balance, sum);
        }
    }

    // Splits pages, fills the store, and lets entries expire and be evicted.
    private static void Churn(CacheStore store, Random random)
    {
        for (int i = 0; i < Rounds * 40; i++)
        {
            store.Set(
                BitConverter.GetBytes(random.Next(50_000)), new byte[random.Next(400)],
                new EntryOptions { ExpiresAtMs = store.NowMs + random.Next(1, 200) });
        }
    }

    private static void IncrementWatched(CommandClient client, Random random, long[] done)
    {
        for (int i = 0; i < Rounds; i++)
        {
            int kind = random.Next(3);
            (string key, string read, string write) = kind switch
            {
                0 => ("c", "GET c", "SET c"),
                1 => ("h", "HGET h n", "HSET h n"),
                _ => ("g", "HGET g n", "HSET g n"),
            };
            client.Run("WATCH " + key);
            long value = long.Parse(Text(client.Run(read)), CultureInfo.InvariantCulture);
            client.Run("MULTI");
            client.Run($"{write} {value + 1}");
            if (client.Run("EXEC") != "*-1\r\n")
                Interlocked.Increment(ref done[kind]);
        }
    }

    private static void IncrementInProcess(CacheStore store, Random random, long[] done)
    {
        for (int i = 0; i < Rounds; i++)
        {
            int kind = random.Next(3);
            var status = kind switch
            {
                0 => store.Increment("c"u8, 1, out _),
                1 => store.Hash("h"u8).Increment("n"u8, 1, out _),
                _ => store.Hash("g"u8).Increment("n"u8, 1, out _),
            };
            Assert.Equal(WriteStatus.Done, status);
            Interlocked.Increment(ref done[kind]);
        }
    }

    private static (int From, int To, int Amount) Transfer(Random random)
    {
        int from = random.Next(Accounts);
        return (from, (from + random.Next(1, Accounts)) % Accounts, random.Next(1, 50));
    }

    private static string[] ReadAll() =>
    [
        .. Enumerable.Range(0, Accounts).Select(static i => $"GET a{i}"),
        .. Enumerable.Range(0, Accounts).Select(static i => $"HGET h{i} n"),
    ];

    private static string Queue(CommandClient client, params string[] commands)
    {
        client.Run("MULTI");
        foreach (string command in commands)
            Assert.Equal("+QUEUED\r\n", client.Run(command));
        return client.Run("EXEC");
    }

    private static long SumIn(string reply) =>
        reply.Split("\r\n").Where(static line => line.Length > 0 && line[0] is '-' or (>= '0' and <= '9'))
            .Sum(static line => long.Parse(line, CultureInfo.InvariantCulture));

    private static string Text(string bulk) => bulk.Split("\r\n")[1];

    private static byte[] Key(string prefix, int number) => Encoding.ASCII.GetBytes($"{prefix}{number}");

    private static long Number(byte[]? text) =>
        long.Parse(Encoding.ASCII.GetString(text!), CultureInfo.InvariantCulture);
}
