using Cache.Core.Tests.Changes;
using Cache.Testing;

namespace Cache.Core.Tests;

/// <summary>Stores that are disposed while threads are at every kind of call, with room and without.</summary>
public sealed class DisposalUnderLoadTests
{
    private const int Rounds = 30;
    private const int Keys = 512;
    private const int TurnsBeforeDisposal = 20;

    [Theory]
    [InlineData(2 << 20)] // Evicts all the time.
    [InlineData(64 << 20)]
    public void Dispose_UnderLoad_EndsEachCallWithTheException(long limitBytes)
    {
        for (int round = 0; round < Rounds; round++)
        {
            var store = new CacheStore(new CacheOptions { MemoryLimitBytes = limitBytes, KeyspaceCount = 2 });
            var started = new CountdownEvent(_calls.Length);
            var ends = new Exception?[_calls.Length];
            var threads = new Thread[_calls.Length];
            for (int i = 0; i < threads.Length; i++)
            {
                int index = i;
                var random = new Random(round * threads.Length + i);
                threads[i] = new Thread(() => ends[index] = Run(store, _calls[index], random, started));
                threads[i].Start();
            }

            started.Wait(TestContext.Current.CancellationToken);
            if (round % 2 == 0)
                store.Dispose();
            else
                Parallel.Invoke(store.Dispose, store.Dispose);
            foreach (var thread in threads)
                thread.Join();
            for (int i = 0; i < ends.Length; i++)
                Assert.True(ends[i] is ObjectDisposedException, $"call {i}, round {round}: {ends[i]}");
        }
    }

    private static readonly Action<CacheStore, Random>[] _calls =
    [
        static (store, random) => Check(random, store),
        static (store, random) => store.Set(Key(random), Value(random, 40_000)),
        static (store, random) => store.Set(Key(random), Value(random, 300), new() { SlidingMs = 1 + random.Next(50) }),
        static (store, random) => SetMany(store, random),
        static (store, random) => GetMany(store, random),
        static (store, random) => Lend(store, random),
        static (store, random) => Transact(store, random),
        static (store, random) => Others(store, random),
    ];

    private static Exception? Run(
        CacheStore store, Action<CacheStore, Random> call, Random random, CountdownEvent started)
    {
        int turns = 0;
        try
        {
            for (; ; turns++)
            {
                call(store, random);
                if (turns == TurnsBeforeDisposal)
                    started.Signal();
            }
        }
        catch (Exception exception)
        {
            if (turns <= TurnsBeforeDisposal) // It has not said so, and what it met is told by the test.
                started.Signal();
            return exception;
        }
    }

    private static byte[] Key(Random random) => BitConverter.GetBytes(random.Next(Keys));

    // All bytes alike, so that a torn one shows.
    private static byte[] Value(Random random, int lengthMax) =>
        StoreFixture.Filled(random.Next(lengthMax), (byte)random.Next(1, 256));

    private static void AssertWhole(ReadOnlySpan<byte> value) =>
        Assert.True(value.IsEmpty || (value[0] != 0 && !value.ContainsAnyExcept(value[0])), "The value is torn.");

    private static void Check(Random random, CacheStore store)
    {
        AssertWhole(store.GetArray(Key(random)));
        store.Contains(Key(random));
    }

    private static void SetMany(CacheStore store, Random random)
    {
        var entries = new (byte[] Key, byte[] Value)[random.Next(1, 30)];
        for (int i = 0; i < entries.Length; i++)
            entries[i] = (Key(random), Value(random, 5_000));
        var source = new EntryArray(entries);
        store.SetMany(ref source, SetCondition.Always);
    }

    private static void GetMany(CacheStore store, Random random)
    {
        var keys = new byte[random.Next(1, 30)][];
        for (int i = 0; i < keys.Length; i++)
            keys[i] = Key(random);
        var source = new KeyArray(keys);
        var sink = new ValueListSink();
        store.GetMany(ref source, ref sink);
        foreach (byte[]? value in sink.Values)
            AssertWhole(value);
    }

    private static void Lend(CacheStore store, Random random)
    {
        byte[] key = Key(random);
        var sink = default(ArraySink);
        store.TryGet(key, store.BeginPrefetch(key), ref sink, 1_000, out var lent);
        Thread.Yield();
        using (lent)
            AssertWhole(lent is null ? sink.Array : lent.Span);
        if (store.TryCreateValue(50_000, out var value))
        {
            value.Span.Fill(3);
            store.Set(key, value, default);
        }
    }

    private static void Transact(CacheStore store, Random random)
    {
        byte[] key = Key(random);
        byte[] other = Key(random);
        byte[] value = Value(random, 40_000);
        KeyedTransaction.Run(store, [key, other], 1, 3, view =>
        {
            AssertWhole(view.GetArray(key));
            view.Set(key, value);
            view.Rename(key, other, SetCondition.Always);
        });
    }

    private static void Others(CacheStore store, Random random)
    {
        var sink = default(ArraySink);
        var keys = new KeyListSink();
        switch (random.Next(8))
        {
            case 0:
                store.Remove(Key(random));
                break;
            case 1:
                store.TryRemove(Key(random), ref sink);
                break;
            case 2:
                store.Rename(Key(random), Key(random), SetCondition.Always);
                break;
            case 3:
                store.Copy(Key(random), store.SelectKeyspace(1), Key(random), SetCondition.Always);
                break;
            case 4:
                store.Scan(0, 50, ref keys);
                break;
            case 5:
                store.Expire(Key(random), store.NowMs + random.Next(20), ExpireConditions.None);
                break;
            case 6:
                store.TryGetRandomKey(ref sink);
                break;
            default:
                store.MemoryLimitBytes = random.Next(2, 5) << 20;
                if (random.Next(50) == 0)
                    store.Clear();
                break;
        }
    }
}
