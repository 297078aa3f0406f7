using System.Runtime.CompilerServices;
using Cache.Core.Layout;
using Cache.Core.Sharding;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Operations;

/// <summary>Parts of long values are written without a lock that others wait for.</summary>
public sealed class LongRangeTests : IDisposable
{
    private const int Long = 1 << 20;

    private readonly StoreFixture _fixture = new(static options => options.MemoryLimitBytes = 1L << 30);

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(10, Long)]
    [InlineData(100_000, Long)]
    [InlineData(Long, 10)]
    [InlineData(Long, Long)]
    [InlineData(0, Long)]
    public void Append_ToValuesOfAllKinds_KeepsBothParts(int length, int added)
    {
        Store.Set("key"u8, Filled(length, 1), ExpiringAt(_fixture.NowMs + 1000));

        Assert.Equal(WriteStatus.Done, Store.Append("key"u8, Filled(added, 2), out int total));

        Assert.Equal(length + added, total);
        Assert.Equal([.. Filled(length, 1), .. Filled(added, 2)], Store.GetArray("key"u8)!);
        Assert.Equal(1, Store.ExpiringCount);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(10)]
    [InlineData(Long / 2)]
    [InlineData(2 * Long)]
    public void SetRange_FarBehindOrWithin_LeavesTheRestAndFillsWithZeros(int length)
    {
        if (length >= 0)
            Store.Set("key"u8, Filled(length, 1));

        Assert.Equal(WriteStatus.Done, Store.SetRange("key"u8, Long, Filled(Long / 2, 2), out int total));

        byte[] expected = new byte[Math.Max(length, Long + Long / 2)];
        expected.AsSpan(0, Math.Max(length, 0)).Fill(1);
        expected.AsSpan(Long, Long / 2).Fill(2);
        Assert.Equal(expected.Length, total);
        Assert.Equal(expected, Store.GetArray("key"u8)!);
    }

    [Fact]
    public void Append_BehindALongValueWithRoom_WritesThereUnlessItIsLent()
    {
        Store.Set("key"u8, Filled(8 * Long, 1));
        Store.Append("key"u8, [2], out _); // From now on there is room behind it.
        Store.Append("key"u8, Filled(Long / 2, 3), out _);
        var sink = default(ArraySink);
        Store.TryGet("key"u8, Store.BeginPrefetch("key"u8), ref sink, lentLengthMin: 1, out var lent);
        byte[] seen = lent!.Span.ToArray();

        Assert.Equal(WriteStatus.Done, Store.Append("key"u8, Filled(300_000, 4), out int length));

        Assert.Equal(seen, lent.Span.ToArray());
        lent.Dispose();
        Assert.Equal(seen.Length + 300_000, length);
        Assert.Equal([.. seen, .. Filled(300_000, 4)], Store.GetArray("key"u8)!);
    }

    // Behind the end of a block that has room: under the lock of its bucket up to a step, else under a claim.
    [Theory]
    [InlineData(0, Shard.StepBytesMax, false)]
    [InlineData(0, Shard.StepBytesMax + 1, true)]
    [InlineData(Shard.StepBytesMax, 1, true)]
    public void SetRange_BehindALongValueWithRoom_ClaimsTheKeyBeyondAStep(int gap, int length, bool claims)
    {
        int end = MakeLongValueWithRoom();
        bool isClaimed = false;
        ulong hash = Store.BeginPrefetch("key"u8).Value;
        RoomSteps.Observe(_ => isClaimed |= StateOf(Store).Claims.IsOwn(hash));
        try
        {
            Assert.Equal(WriteStatus.Done, Store.SetRange("key"u8, end + gap, Filled(length, 4), out _));
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        Assert.Equal(claims, isClaimed);
        Assert.Equal(new byte[gap], Store.GetArray("key"u8)![end..(end + gap)]);
        Assert.Equal(Filled(length, 4), Store.GetArray("key"u8)![(end + gap)..]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Append_BehindALongValueWithRoom_WritesItOnceWhetherItIsLentOrNot(bool isLent)
    {
        MakeLongValueWithRoom();
        LentValue? lent = null;
        var sink = default(ArraySink);
        if (isLent)
            Store.TryGet("key"u8, Store.BeginPrefetch("key"u8), ref sink, lentLengthMin: 1, out lent);
        int writes = 0;
        RoomSteps.Observe(step => writes += step == RoomStep.WriteEnds ? 1 : 0);
        try
        {
            Assert.Equal(WriteStatus.Done, Store.Append("key"u8, Filled(300_000, 4), out _));
        }
        finally
        {
            RoomSteps.Observe(null);
            lent?.Dispose();
        }

        Assert.Equal(3, writes); // What finds that it takes long, what takes the block, and what puts it there.
    }

    // Inserts where the copy begins and where it is done: the thread that copies holds the bucket at neither.
    [Theory]
    [InlineData(false, 2)]
    [InlineData(true, 1)]
    public void Append_ToALongValue_LetsOthersIntoItsBucket(bool hasRoom, int steps)
    {
        Store.Set("key"u8, Filled(8 * Long, 1));
        if (hasRoom)
            Store.Append("key"u8, [2], out _);
        byte[] neighbour = NeighbourOf("key"u8);
        Store.Set(neighbour, "0"u8);
        int inserts = 0;
        bool isInserting = false;
        RoomSteps.Observe(step =>
        {
            if (isInserting || step is not (RoomStep.BlockTaken or RoomStep.RangeWritten))
                return;
            isInserting = true;
            Assert.False(Bucket.IsHeld(HomeOf("key"u8).ReadVersion()));
            Assert.Equal(WriteStatus.Done, Store.Set(neighbour, Filled(++inserts, 1)));
            isInserting = false;
        });
        try
        {
            Assert.Equal(WriteStatus.Done, Store.Append("key"u8, Filled(300_000, 4), out _));
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        Assert.Equal(steps, inserts);
    }

    [Fact]
    public void Append_OfAKeyThatIsAlwaysWritten_Ends()
    {
        bool stop = false;
        byte[] longValue = Filled(Long, 1);
        var writer = new Thread(() =>
        {
            for (int i = 0; !Volatile.Read(ref stop); i++)
            {
                _ = (i % 3) switch
                {
                    0 => Store.Set("key"u8, "short"u8) == WriteStatus.Done,
                    1 => Store.Remove("key"u8),
                    _ => Store.Set("key"u8, longValue) == WriteStatus.Done,
                };
            }
        });
        writer.Start();
        try
        {
            for (int i = 0; i < 50; i++)
            {
                Assert.Equal(WriteStatus.Done, Store.Append("key"u8, longValue, out int length));
                Assert.True(length >= Long && length % Long is 0 or 5, $"{length}");
            }
        }
        finally
        {
            Volatile.Write(ref stop, true);
            writer.Join();
        }
    }

    [Fact]
    public void Append_OfTwoThreadsToOneLongValue_LosesNothing()
    {
        Store.Set("key"u8, Filled(Long, 1));
        byte[] part = Filled(300_000, 1);
        var threads = Enumerable.Range(0, 2).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < 30; i++)
                Store.Append("key"u8, part, out int _);
        })).ToArray();
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => thread.Join());

        byte[] value = Store.GetArray("key"u8)!;
        Assert.Equal(Long + (60 * part.Length), value.Length);
        Assert.Equal(-1, value.AsSpan().IndexOfAnyExcept((byte)1));
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    private int MakeLongValueWithRoom()
    {
        Store.Set("key"u8, Filled(8 * Long, 1));
        Store.Append("key"u8, [2], out int length); // From now on there is room behind it.
        return length;
    }

    private Bucket HomeOf(ReadOnlySpan<byte> key)
    {
        ulong hash = Store.BeginPrefetch(key).Value;
        ulong number = StateOf(Store).ShardOf(hash).HomeNumberOf(hash);
        var page = StateOf(Store).Index.Pages[(uint)(number / IndexPage.BucketCount)];
        return page[(int)(number % IndexPage.BucketCount)];
    }

    /// <summary>A key of the same home bucket; each shard of so small a store has one page.</summary>
    private byte[] NeighbourOf(ReadOnlySpan<byte> key)
    {
        ulong hash = Store.BeginPrefetch(key).Value;
        for (int i = 0; ; i++)
        {
            byte[] other = Bytes($"neighbour:{i}");
            ulong otherHash = Store.BeginPrefetch(other).Value;
            if (otherHash >> 62 == hash >> 62 && IndexPage.HomeIndexOf(otherHash) == IndexPage.HomeIndexOf(hash))
                return other;
        }
    }
}
