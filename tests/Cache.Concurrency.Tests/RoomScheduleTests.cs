using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Core.Hashing;
using Cache.Core.Sharding;
using Cache.Testing;

namespace Cache.Concurrency.Tests;

/// <summary>
/// Threads that are paused at every step of looking for room: between taking bytes, linking, evicting, freeing, and
/// each segment that an audit looks at. Each write fits by itself, so none may be refused.
/// </summary>
/// <remarks>Only a debug build has the steps; a release build runs the same bodies one after the other.</remarks>
public sealed class RoomScheduleTests
{
    private const long Limit = 1 << 20;
    private const int Schedules = 400;

    // Values of which the limit holds two, three, five or fifteen: with those in transit it is full.
    [Theory]
    [InlineData(450_000)]
    [InlineData(300_000)]
    [InlineData(180_000)]
    [InlineData(60_000)]
    public void Set_OfLargeValues_UnderRandomSchedules_IsNeverRefused(int length) => RandomSeed.Run(this, seed =>
    {
        for (int i = 0; i < Schedules / 4; i++)
        {
            var random = new Random(seed + i);
            RunSchedule(new StepScheduler(scheduler => scheduler.Live[random.Next(scheduler.Live.Count)]), store =>
            [
                () => SetAll(store, "a", 6, length),
                () => SetAll(store, "b", 6, length),
                () => SetAll(store, "a", 6, length / 2),
            ]);
        }
    });

    // Long turns with few switches, which random choices at each step never make.
    [Theory]
    [InlineData(450_000)]
    [InlineData(300_000)]
    [InlineData(60_000)]
    public void Set_OfLargeValues_UnderSchedulesWithLongTurns_IsNeverRefused(int length) => RandomSeed.Run(this, seed =>
    {
        for (int i = 0; i < Schedules; i++)
        {
            var random = new Random(seed + i);
            int denominator = 2 << random.Next(6);
            int Choose(StepScheduler scheduler) => random.Next(denominator) == 0
                ? scheduler.Live[random.Next(scheduler.Live.Count)]
                : scheduler.Current;
            RunSchedule(new StepScheduler(Choose), store =>
            [
                () => SetAll(store, "a", 4, length),
                () => SetAll(store, "b", 4, length),
                () => Append(store, 4, length / 8),
            ]);
        }
    });

    // One copies a key's value outside of all locks, and the others wait for it with a block in their hands; one reads
    // what it replaces. All that they hold together fits the limit.
    [Fact]
    public void Append_ToAKeyThatOthersSet_IsNeverRefused() => RandomSeed.Run(this, seed =>
    {
        for (int i = 0; i < Schedules; i++)
        {
            var random = new Random(seed + i);
            int denominator = 1 << random.Next(6);
            int Choose(StepScheduler scheduler) => random.Next(denominator) == 0
                ? scheduler.Live[random.Next(scheduler.Live.Count)]
                : scheduler.Current;
            RunSchedule(new StepScheduler(Choose), store =>
            [
                () => Append(store, 4, 10_000),
                () => SetAppended(store, 4, 100_000),
                () => SetAndGet(store, 4, 80_000),
            ]);
        }
    });

    // Every schedule in which each of two threads is interrupted once.
    [Fact]
    public void Set_OfLargeValues_UnderAllSchedulesWithOneSwitch_IsNeverRefused()
    {
        int steps = 1;
        for (int at = 0; at < steps; at++)
        {
            var scheduler = new StepScheduler(s => s.Steps == at + 1 ? s.Live[^1] : s.Current);
            RunSchedule(scheduler, static store =>
            [
                () => SetAll(store, "a", 2, 400_000),
                () => SetAll(store, "b", 2, 400_000),
            ]);
            steps = Math.Max(steps, scheduler.Steps);
        }
    }

    // What is lent stays; the rest has room for what is written, one value after the other.
    [Fact]
    public void Set_OfLargeValues_WhileOthersAreLentAndTheLimitMoves_IsNeverRefused() => RandomSeed.Run(this, seed =>
    {
        for (int i = 0; i < Schedules / 4; i++)
        {
            var random = new Random(seed + i);
            int Choose(StepScheduler scheduler) => random.Next(4) == 0
                ? scheduler.Live[random.Next(scheduler.Live.Count)]
                : scheduler.Current;
            RunSchedule(new StepScheduler(Choose), store =>
            [
                () => SetAll(store, "a", 4, 150_000),
                () => SetAll(store, "b", 4, 150_000),
                () => Lend(store, 4),
                () => ChangeLimit(store, 3),
            ]);
        }
    });

    private static void RunSchedule(StepScheduler scheduler, Func<CacheStore, Action[]> bodies)
    {
        var options = new CacheOptions { MemoryLimitBytes = Limit, ShardCount = 1 };
        var hash = KeyedHash.Create(new byte[AesHash.SecretLength]);
        using var store = new CacheStore(options, new FakeTimeProvider(), hash);
        for (int i = 0; i < 40; i++)
            Set(store, $"first{i}", 20_000);
        scheduler.Run(bodies(store));
        Assert.Equal(0, StateOf(store).Reclaimer.UnprovenRefusals);
        Assert.InRange(store.GetStatistics().MemoryPeakBytes, 0, 2 * Limit * 102 / 100);
        store.AssertValid();
    }

    private static void SetAll(CacheStore store, string prefix, int count, int length)
    {
        for (int i = 0; i < count; i++)
            Set(store, $"{prefix}{i % 3}", length + i);
    }

    private static void Set(CacheStore store, string key, int length) =>
        Assert.Equal(WriteStatus.Done, store.Set(System.Text.Encoding.ASCII.GetBytes(key), new byte[length]));

    private static void Append(CacheStore store, int count, int length)
    {
        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, store.Append("appended"u8, new byte[length], out _));
    }

    private static void SetAppended(CacheStore store, int count, int length)
    {
        for (int i = 0; i < count; i++)
            Set(store, "appended", length);
    }

    private static void SetAndGet(CacheStore store, int count, int length)
    {
        var sink = default(PausingSink);
        for (int i = 0; i < count; i++)
        {
            Assert.Equal(
                WriteStatus.Done,
                store.Set("appended"u8, new byte[length], default(EntryOptions), ref sink, out _));
        }
    }

    private static void Lend(CacheStore store, int count)
    {
        var sink = default(PausingSink);
        for (int i = 0; i < count; i++)
        {
            byte[] key = [(byte)"ab"[i % 2], (byte)'0'];
            store.TryGet(key, store.BeginPrefetch(key), ref sink, 100_000, out var lent);
            for (int pause = 0; pause < 5; pause++)
                RoomSteps.At(RoomStep.WriteEnds);
            lent?.Dispose();
        }
    }

    private static void ChangeLimit(CacheStore store, int count)
    {
        for (int i = 0; i < count; i++)
        {
            store.MemoryLimitBytes = 2 * Limit;
            RoomSteps.At(RoomStep.WriteEnds);
            store.MemoryLimitBytes = Limit;
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    /// <summary>Copies a value, and is paused while it holds a reference to it.</summary>
    private struct PausingSink : IValueSink
    {
        public readonly Span<byte> GetSpan(int length)
        {
            RoomSteps.At(RoomStep.BlockDropped);
            return new byte[length];
        }

        public readonly void Advance(int length)
        {
        }
    }
}
