using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Streams whose entries prove themselves, under all that may become of their keys, by more threads than cores.
/// </summary>
public sealed class StreamTortureTests(ITestOutputHelper output)
{
    private const long EntriesMin = 10_000;

    // Few that all use, and many under eviction.
    [Theory]
    [InlineData(2, 0)]
    [InlineData(100, 3_000)]
    public void Entries_AreNeverTornForeignOrApart(int keys, int fillers) =>
        RandomSeed.Run(this, seed =>
        {
            int limit = fillers > 0 ? 3 << 20 : 16 << 20;
            using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = limit, ShardCount = 2 });
            var torture = new StreamTorture(store, keys, seed);
            long start = Stopwatch.GetTimestamp();
            TestThreads.Run(TestThreads.MoreThanCores, TortureLength.Expected, (thread, stop) =>
            {
                var random = new Random(seed + thread);
                while (!stop.IsCancellationRequested && TortureLength.GoesOn(start, IsEnough(torture)))
                {
                    torture.Run(50);
                    for (int i = 0; i < fillers / 30; i++)
                        store.Set(BitConverter.GetBytes(random.Next(fillers)), new byte[random.Next(2_000)]);
                }
            });

            store.AssertValid();
            long evictions = store.GetStatistics().Evictions;
            output.WriteLine(
                $"{torture.Entries} entries, {torture.Snapshots} snapshots, {torture.Delivered} delivered, "
                + $"{evictions} evictions.");
            Assert.True(IsEnough(torture), "Too little has happened.");
            Assert.True(fillers == 0 || evictions > 100, $"Only {evictions} evictions.");
        });

    // A block grows where it lies, under readers that take no lock.
    [Fact]
    public void Readers_BesideAppends_SeeAllEntriesBeforeTheLastAsAWhole()
    {
        const int Total = 10_000, Threads = 4;
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 2 });
        int appended = 0;
        long seen = 0;
        TestThreads.Run(Threads, TimeSpan.FromSeconds(20), (thread, stop) =>
        {
            var stream = store.Stream("s"u8);
            for (int i = 0; thread == 0 && i < Total; i++)
            {
                stream.Append("f"u8, NumberSink.ValueOf(i), out _);
                Volatile.Write(ref appended, i + 1);
            }

            while (thread != 0 && Volatile.Read(ref appended) < Total && !stop.IsCancellationRequested)
            {
                int least = Volatile.Read(ref appended);
                var sink = default(NumberSink);
                stream.GetRange(StreamId.Zero, StreamId.Max, 200, isReversed: true, ref sink);
                Assert.InRange(sink.Newest + 1, least, Total);
                Assert.Equal(Math.Min(200, sink.Newest + 1), sink.Count);
                Interlocked.Add(ref seen, sink.Count);
            }
        });

        Assert.Equal(Total, store.Stream("s"u8).Count);
        Assert.True(seen > 0);
        store.AssertValid();
    }

    // Each entry goes to one consumer, once, whoever appends and reads, and stays pending until it is acknowledged.
    [Fact]
    public void Group_DeliversEachEntryOnce()
    {
        const int Producers = 2, Threads = 5, Each = 3_000, Total = Producers * Each;
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 2 });
        var options = new StreamGroupOptions { LastDeliveredId = StreamId.Zero, MakesStream = true };
        store.Stream("s"u8).CreateGroup("g"u8, options, out _);
        var delivered = new List<StreamId>[Threads];
        long count = 0, acknowledged = 0;
        TestThreads.Run(Threads, TimeSpan.FromSeconds(10), (thread, stop) =>
        {
            var stream = store.Stream("s"u8);
            delivered[thread] = [];
            for (int i = 0; thread < Producers && i < Each; i++)
                stream.Append("f"u8, BitConverter.GetBytes(i), out _);
            while (thread >= Producers && Volatile.Read(ref count) < Total && !stop.IsCancellationRequested)
            {
                var sink = new IdSink([]);
                var read = new StreamGroupRead { Count = thread == Producers ? 0 : 7 };
                Assert.Equal(
                    WriteStatus.Done, stream.ReadGroup("g"u8, [(byte)thread], read, ref sink, out _));
                delivered[thread].AddRange(sink.Ids);
                Interlocked.Add(ref count, sink.Ids.Count);
                if (sink.Ids.Count % 2 == 0)
                    continue;
                stream.Acknowledge("g"u8, sink.Ids.ToArray(), out long done);
                Assert.Equal(sink.Ids.Count, done);
                Interlocked.Add(ref acknowledged, done);
            }
        });

        var all = delivered.SelectMany(static ids => ids).ToList();
        Assert.Equal(Total, all.Count);
        Assert.Equal(Total, all.Distinct().Count());
        using (var snapshot = store.Stream("s"u8).TakeSnapshot(out _))
        {
            Assert.True(snapshot.TryGetGroup("g"u8, out var group));
            Assert.Equal((Total - acknowledged, (long?)Total, (long?)0), (group.Pending, group.EntriesRead, group.Lag));
        }

        store.AssertValid();
    }

    private static bool IsEnough(StreamTorture torture) =>
        torture.Entries > EntriesMin && torture.Snapshots > 20 && torture.Delivered > 100;

    // Entries from the newest back, each with a number one less, and a value that follows from it.
    private struct NumberSink : IStreamSink
    {
        private int _oldest;

        public int Count { get; private set; }

        public readonly int Newest => _oldest + Count - 1;

        public readonly bool IsFull => false;

        public static byte[] ValueOf(int number)
        {
            byte[] value = new byte[sizeof(int) + number % 90];
            Array.Fill(value, (byte)number);
            BitConverter.TryWriteBytes(value, number);
            return value;
        }

        public readonly void Begin(long count)
        {
        }

        public void Take(StreamId id, scoped StreamFields fields)
        {
            Assert.True(fields.MoveNext());
            int number = BitConverter.ToInt32(fields.Value);
            Assert.True(fields.Value.SequenceEqual(ValueOf(number)), "A value is torn.");
            Assert.Equal(Count == 0 ? number : _oldest - 1, number);
            (_oldest, Count) = (number, Count + 1);
            Assert.False(fields.MoveNext());
        }
    }

    private readonly struct IdSink(List<StreamId> ids) : IStreamSink
    {
        public List<StreamId> Ids => ids;

        public bool IsFull => false;

        public void Begin(long count)
        {
        }

        public void Take(StreamId id, scoped StreamFields fields) => ids.Add(id);
    }
}
