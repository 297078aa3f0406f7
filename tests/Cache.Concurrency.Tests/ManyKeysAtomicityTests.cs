using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests;

/// <summary>Operations on several keys take place at one moment, and never wait for each other in a circle.</summary>
public sealed class ManyKeysAtomicityTests
{
    private static readonly TimeSpan _length = TimeSpan.FromSeconds(1);

    [Fact]
    public void SetMany_AgainstGetMany_IsAllOrNothing() => RandomSeed.Run(this, seed =>
    {
        using var store = CreateStore();
        byte[][] keys = KeysOf("group", 6);
        WriteGroup(store, keys, 1, new Random(seed));
        int last = 1;
        Run((thread, random) =>
        {
            if (thread < 2)
                WriteGroup(store, Shuffled(keys, random), Interlocked.Increment(ref last), random);
            else
                ReadGroup(store, Shuffled(keys, random));
        }, seed);
        store.AssertValid();
    });

    [Fact]
    public void SetMany_AgainstClear_IsAllOrNothing() => RandomSeed.Run(this, seed =>
    {
        using var store = CreateStore();
        byte[][] keys = KeysOf("group", 6);
        int last = 0;
        Run((thread, random) =>
        {
            if (thread == 0)
                store.Clear();
            else if (thread == 1)
                WriteGroup(store, Shuffled(keys, random), Interlocked.Increment(ref last), random);
            else
                ReadGroup(store, Shuffled(keys, random), mayBeAbsent: true);
        }, seed);
        store.AssertValid();
    });

    // Beyond a short batch, which nobody reads through: pages split, and entries spill, meanwhile.
    [Fact]
    public void SetMany_OfALongBatch_AgainstGet_ShowsNothingOldBehindSomethingNew() => RandomSeed.Run(this, seed =>
    {
        using var store = CreateStore();
        byte[][] keys = KeysOf("group", 300);
        byte[][] others = KeysOf("other", 2_000);
        WriteGroup(store, keys, 1, new Random(seed));
        int last = 1;
        Run((thread, random) =>
        {
            if (thread == 0)
            {
                // Every other batch fits what is there.
                int number = Interlocked.Increment(ref last);
                WriteGroup(store, Shuffled(keys, random), number, number % 2 == 0 ? null : random);
            }
            else if (thread == 1)
            {
                byte[] other = others[random.Next(others.Length)];
                if (random.Next(2) == 0 || !store.Remove(other))
                    store.Set(other, new byte[random.Next(100)]);
            }
            else if (random.Next(8) == 0)
            {
                ReadGroup(store, Shuffled(keys, random));
            }
            else
            {
                AssertInOrder(store, keys[random.Next(keys.Length)], keys[random.Next(keys.Length)]);
            }
        }, seed);
        store.AssertValid();
    });

    [Fact]
    public void ClearAll_AgainstCopiesToAnotherKeyspace_ClearsBothAtOnce() => RandomSeed.Run(this, seed =>
    {
        using var store = CreateStore();
        var other = store.SelectKeyspace(9);
        long generation = 0;
        Run((thread, random) =>
        {
            if (thread == 0)
            {
                Interlocked.Increment(ref generation);
                store.ClearAll();
                Interlocked.Increment(ref generation);
                return;
            }

            // No clear between the two looks: then what was copied is still where it came from.
            long before = Interlocked.Read(ref generation);
            store.Set("source"u8, new byte[random.Next(200)]);
            bool isCopied = store.Copy("source"u8, other, "copy"u8, SetCondition.Always) == WriteStatus.Done;
            bool isThere = other.Contains("copy"u8);
            if (before % 2 == 0 && Interlocked.Read(ref generation) == before)
                Assert.True(isCopied && isThere, $"copied: {isCopied}, there: {isThere}.");
        }, seed);
        store.AssertValid();
    });

    [Fact]
    public void SetManyIfAbsent_Racing_OneTakesAll() => RandomSeed.Run(this, seed =>
    {
        using var store = CreateStore();
        int threads = TestThreads.MoreThanCores;
        for (int round = 0; round < 300; round++)
        {
            byte[][] keys = KeysOf($"race:{round}", 4);
            int winners = 0;
            TestThreads.Run(threads, _length, (thread, _) =>
            {
                var random = new Random(seed + round * threads + thread);
                var entries = new EntryArray([.. Shuffled(keys, random).Select(key => (key, new[] { (byte)thread }))]);
                if (store.SetMany(ref entries, SetCondition.IfAbsent) == WriteStatus.Done)
                    Interlocked.Increment(ref winners);
            });

            Assert.Equal(1, winners);
            Assert.Single(keys.Select(key => store.GetArray(key)![0]).Distinct());
        }

        store.AssertValid();
    });

    [Fact]
    public void Rename_TokensMovedAround_NoneIsLostOrSeenTwice() => RandomSeed.Run(this, seed =>
    {
        const int Tokens = 8;
        using var store = CreateStore();
        byte[][] places = KeysOf("place", 16);
        for (byte token = 0; token < Tokens; token++)
            store.Set(places[token], TokenOf(token));
        Run((thread, random) =>
        {
            if (thread == 0)
                AssertEachTokenOnce(store, Shuffled(places, random), Tokens);
            else
                Move(store, places, random);
        }, seed);

        AssertEachTokenOnce(store, places, Tokens);
        Assert.Equal(Tokens, store.Count);
        store.AssertValid();
    });

    [Fact]
    public void EveryOperationOnManyKeys_CrossingPaths_NeverHang() => RandomSeed.Run(this, seed =>
    {
        using var store = CreateStore();
        byte[][] keys = KeysOf("key", 10);
        Run((_, random) => CrossPaths(store, keys, random), seed);

        // What has an expiry is swept soon; then every entry is counted and found, or neither.
        Assert.True(SpinWait.SpinUntil(() => store.GetStatistics().ExpiringCount == 0, TimeSpan.FromSeconds(30)));
        long counted = Enumerable.Range(0, store.KeyspaceCount).Sum(i => store.SelectKeyspace(i).Count);
        int found = Enumerable.Range(0, store.KeyspaceCount)
            .Sum(i => keys.Count(key => store.SelectKeyspace(i).Contains(key)));
        Assert.Equal(found, counted);
        store.AssertValid();
    });

    private static void Run(Action<int, Random> step, int seed)
    {
        long start = Stopwatch.GetTimestamp();
        TestThreads.Run(TestThreads.MoreThanCores, _length, (thread, stop) =>
        {
            var random = new Random(seed + thread);
            while (!stop.IsCancellationRequested && Stopwatch.GetElapsedTime(start) < _length)
                step(thread, random);
        });
    }

    // A value's length differs each time, so that entries move; its first four bytes tell which write it is of.
    private static void WriteGroup(CacheStore store, byte[][] keys, int number, Random? random)
    {
        var entries = new EntryArray([.. keys.Select(key =>
        {
            byte[] value = new byte[random is null ? store.GetArray(key)!.Length : 4 + random.Next(300)];
            BinaryPrimitives.WriteInt32LittleEndian(value, number);
            return (key, value);
        })]);
        Assert.Equal(WriteStatus.Done, store.SetMany(ref entries, SetCondition.Always));
    }

    private static void AssertInOrder(CacheStore store, byte[] first, byte[] second)
    {
        int earlier = BinaryPrimitives.ReadInt32LittleEndian(store.GetArray(first));
        int later = BinaryPrimitives.ReadInt32LittleEndian(store.GetArray(second));
        Assert.True(later >= earlier, $"{earlier}, and then {later}.");
    }

    private static void ReadGroup(CacheStore store, byte[][] keys, bool mayBeAbsent = false)
    {
        var source = new KeyArray(keys);
        var sink = new ValueListSink();
        store.GetMany(ref source, ref sink);
        Assert.Equal(keys.Length, sink.Values.Count);
        if (mayBeAbsent && sink.Values.All(static value => value is null))
            return;
        int[] numbers = [.. sink.Values.Select(
            static value => value is null ? 0 : BinaryPrimitives.ReadInt32LittleEndian(value))];
        Assert.True(
            numbers.All(number => number == numbers[0]), $"Parts of several writes: {string.Join(", ", numbers)}.");
    }

    private static byte[] TokenOf(byte token) => [token, .. new byte[token * 20]];

    private static void Move(CacheStore store, byte[][] places, Random random)
    {
        var status = store.Rename(
            places[random.Next(places.Length)], places[random.Next(places.Length)], SetCondition.IfAbsent);
        Assert.Contains(status, new[] { WriteStatus.Done, WriteStatus.NotFound, WriteStatus.ConditionNotMet });
    }

    private static void AssertEachTokenOnce(CacheStore store, byte[][] places, int tokens)
    {
        var source = new KeyArray(places);
        var sink = new ValueListSink();
        store.GetMany(ref source, ref sink);
        byte[][] found = [.. sink.Values.OfType<byte[]>().OrderBy(static value => value[0])];
        Assert.Equal(Enumerable.Range(0, tokens), found.Select(static value => (int)value[0]));
        Assert.All(found, static value => Assert.Equal(TokenOf(value[0]), value));
    }

    private static void CrossPaths(CacheStore store, byte[][] keys, Random random)
    {
        var here = store.SelectKeyspace(random.Next(2));
        var there = store.SelectKeyspace(random.Next(2));
        byte[] one = keys[random.Next(keys.Length)];
        byte[] other = keys[random.Next(keys.Length)];
        switch (random.Next(6))
        {
            case 0:
                here.Rename(one, other, SetCondition.Always);
                break;
            case 1:
                here.Copy(one, there, other, SetCondition.Always);
                break;
            case 2:
                var entries = new EntryArray([.. Shuffled(keys, random).Take(5).Select(static key => (key, key))]);
                Assert.Equal(WriteStatus.Done, here.SetMany(ref entries, SetCondition.Always));
                break;
            case 3:
                var source = new KeyArray(Shuffled(keys, random));
                var sink = new ValueListSink();
                here.GetMany(ref source, ref sink);
                Assert.Equal(keys.Length, sink.Values.Count);
                break;
            case 4:
                here.Remove(one);
                break;
            default:
                here.Set(one, other, new EntryOptions { ExpiresAtMs = here.NowMs + random.Next(1, 20) });
                break;
        }
    }

    private static CacheStore CreateStore() => new(new CacheOptions { MemoryLimitBytes = 64 << 20 });

    private static byte[][] KeysOf(string name, int count) =>
        [.. Enumerable.Range(0, count).Select(i => System.Text.Encoding.ASCII.GetBytes($"{name}:{i}"))];

    private static byte[][] Shuffled(byte[][] keys, Random random)
    {
        byte[][] shuffled = [.. keys];
        random.Shuffle(shuffled);
        return shuffled;
    }
}
