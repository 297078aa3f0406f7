using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests;

/// <summary>
/// Transactions of overlapping keys in any order, beside all other writes: none waits in a circle, and each is seen
/// whole or not at all.
/// </summary>
public sealed class TransactionTests
{
    private const int Accounts = 40;
    private const int Others = 4_000;
    private const long InitialBalance = 1_000;

    private const int TransfersMin = 100;

    private static readonly TimeSpan _length = TimeSpan.FromSeconds(2);

    // How long the slowest machine may take for so many.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    [Fact]
    public void Transact_CrossingKeysAmongOtherWrites_NeverHangsAndLosesNothing() => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 2 });
        byte[][] accounts = [.. Enumerable.Range(0, Accounts).Select(static i => BitConverter.GetBytes(i))];
        foreach (byte[] account in accounts)
            store.Set(account, BitConverter.GetBytes(InitialBalance));
        long start = Stopwatch.GetTimestamp();
        long transfers = 0;
        TestThreads.Run(TestThreads.MoreThanCores + 2, _length, (thread, stop) =>
        {
            var random = new Random(seed + thread);
            while (!stop.IsCancellationRequested && GoesOn())
            {
                if (thread == 0)
                    AssertTotal(store, accounts, random);
                else if (thread == 1)
                    ChangeOthers(store, random);
                else if (Transfer(store, accounts, random))
                    Interlocked.Increment(ref transfers);
            }
        });

        Assert.True(HasTransferred(), $"Only {transfers} transfers took place.");
        AssertTotal(store, accounts, new Random(seed));
        store.AssertValid();

        bool HasTransferred() => Interlocked.Read(ref transfers) > TransfersMin;
        bool GoesOn() => Stopwatch.GetElapsedTime(start) is var elapsed
            && (elapsed < _length || (elapsed < _patience && !HasTransferred()));
    });

    private static bool Transfer(CacheStore store, byte[][] accounts, Random random)
    {
        byte[][] chosen = [.. accounts];
        random.Shuffle(chosen);
        var transfer = new TransferOfSome(chosen[..random.Next(2, 7)], random.Next(1, 500), random.Next(200));
        store.Transact(ref transfer);
        return transfer.IsDone;
    }

    // By a transaction that reads, and by a read of many keys, which must not see half of one.
    private static void AssertTotal(CacheStore store, byte[][] accounts, Random random)
    {
        byte[][] shuffled = [.. accounts];
        random.Shuffle(shuffled);
        var reading = new SumOfAll(shuffled);
        store.Transact(ref reading);
        Assert.Equal(Accounts * InitialBalance, reading.Sum);
        var keys = new KeyArray(shuffled);
        var values = new ValueListSink();
        store.GetMany(ref keys, ref values);
        Assert.Equal(Accounts * InitialBalance, values.Values.Sum(static value => BalanceIn(value)));
    }

    private static long BalanceIn(byte[]? value) => BinaryPrimitives.ReadInt64LittleEndian(value);

    // Pages of the accounts are split, their buckets fill, and several keys at once are locked by others too.
    private static void ChangeOthers(CacheStore store, Random random)
    {
        var entries = new EntryArray([.. Enumerable.Range(0, 8).Select(_ =>
            (BitConverter.GetBytes(Accounts + random.Next(Others)), new byte[random.Next(100)]))]);
        Assert.Equal(WriteStatus.Done, store.SetMany(ref entries, SetCondition.Always));
        store.Remove(BitConverter.GetBytes(Accounts + random.Next(Others)));
        byte[] renamed = BitConverter.GetBytes(Accounts + random.Next(Others));
        store.Rename(renamed, BitConverter.GetBytes(Accounts + random.Next(Others)), SetCondition.Always);
    }

    /// <summary>Moves an amount from the first key to the last, which is removed and set again on the way.</summary>
    private struct TransferOfSome(byte[][] keys, int amount, int padding) : ITransaction
    {
        public bool IsDone { get; private set; }

        public readonly int KeyCount => keys.Length;

        public readonly int WriteCount => 3;

        public readonly long WrittenBytes => 1_000;

        public readonly ReadOnlySpan<byte> GetKey(int index) => keys[index];

        public readonly int GetKeyspace(int index) => 0;

        public void Run(CacheStore store)
        {
            long from = BalanceIn(store.GetArray(keys[0]));
            long to = BalanceIn(store.GetArray(keys[^1]));
            if (from < amount)
                return;
            Span<byte> value = stackalloc byte[sizeof(long) + padding]; // Of another length each time: records move.
            BinaryPrimitives.WriteInt64LittleEndian(value, from - amount);
            Assert.Equal(WriteStatus.Done, store.Set(keys[0], value));
            Assert.True(store.Remove(keys[^1]));
            BinaryPrimitives.WriteInt64LittleEndian(value, to + amount);
            Assert.Equal(WriteStatus.Done, store.Set(keys[^1], value));
            IsDone = true;
        }
    }

    private struct SumOfAll(byte[][] keys) : ITransaction
    {
        public long Sum { get; private set; }

        public readonly int KeyCount => keys.Length;

        public readonly int WriteCount => 0;

        public readonly long WrittenBytes => 0;

        public readonly ReadOnlySpan<byte> GetKey(int index) => keys[index];

        public readonly int GetKeyspace(int index) => 0;

        public void Run(CacheStore store)
        {
            foreach (byte[] key in keys)
                Sum += BalanceIn(store.GetArray(key));
        }
    }
}
