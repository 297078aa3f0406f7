using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core;
using Cache.Core.ManyKeys;
using Cache.Testing;

namespace Cache.Concurrency.Tests;

/// <summary>
/// Bodies that lock overlapping sets of keys in any order: none waits in a circle, each takes place at one moment.
/// </summary>
public sealed class LockedKeysTests
{
    private const int Accounts = 40;
    private const int Others = 4_000;
    private const long InitialBalance = 1_000;

    private const int TransfersMin = 100;

    private static readonly TimeSpan _length = TimeSpan.FromSeconds(2);

    // How long the slowest machine may take for so many.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    [Fact]
    public void RunLocked_CrossingSetsAmongOtherWrites_NeverHangsAndLosesNothing() => RandomSeed.Run(this, seed =>
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
        var body = new TransferBody(random.Next(1, 500), random.Next(200));
        var status = store.RunLocked(chosen.AsSpan(0, random.Next(2, 7)), ref body);
        Assert.Contains(status, new[] { WriteStatus.Done, WriteStatus.ConditionNotMet });
        return status == WriteStatus.Done;
    }

    private static void AssertTotal(CacheStore store, byte[][] accounts, Random random)
    {
        byte[][] shuffled = [.. accounts];
        random.Shuffle(shuffled);
        var body = default(SumBody);
        Assert.Equal(WriteStatus.Done, store.RunLocked(shuffled, ref body));
        Assert.Equal(Accounts * InitialBalance, body.Sum);
    }

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
    private readonly struct TransferBody(int amount, int padding) : ILockedKeysBody
    {
        public WriteStatus Run(ref LockedKeys keys)
        {
            long from = BinaryPrimitives.ReadInt64LittleEndian(keys.ValueOf(0));
            long to = BinaryPrimitives.ReadInt64LittleEndian(keys.ValueOf(keys.Count - 1));
            Span<byte> value = stackalloc byte[sizeof(long) + padding]; // Of another length each time: records move.
            BinaryPrimitives.WriteInt64LittleEndian(value, from - amount);
            if (!keys.TrySet(0, value, default))
                return WriteStatus.ConditionNotMet;
            if (from < amount)
                return WriteStatus.ConditionNotMet; // Undone.
            keys.Remove(keys.Count - 1);
            BinaryPrimitives.WriteInt64LittleEndian(value, to + amount);
            keys.TrySet(keys.Count - 1, value, default);
            return WriteStatus.Done;
        }
    }

    private struct SumBody : ILockedKeysBody
    {
        public long Sum { get; private set; }

        public WriteStatus Run(ref LockedKeys keys)
        {
            Sum = 0;
            for (int i = 0; i < keys.Count; i++)
                Sum += BinaryPrimitives.ReadInt64LittleEndian(keys.ValueOf(i));
            return WriteStatus.Done;
        }
    }
}
