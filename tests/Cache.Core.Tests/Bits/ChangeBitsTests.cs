using Cache.Core.Bits;
using Cache.Testing;

namespace Cache.Core.Tests.Bits;

/// <summary>Numbers of some bits within values.</summary>
public sealed class ChangeBitsTests : IDisposable
{
    private const int Long = 1 << 20;

    private readonly StoreFixture _fixture = new(static options => options.MemoryLimitBytes = 1L << 30);

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void ChangeBits_RandomSteps_AreThoseOfAListOfBits() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        bool[] bits = new bool[2000];
        for (int round = 0; round < 3000; round++)
        {
            bool isSigned = random.Next(2) == 0;
            int width = random.Next(1, isSigned ? 65 : 64);
            int offset = random.Next(bits.Length - 64);
            long value = random.Next(3) == 0 ? random.Next(-3, 4) : random.NextInt64(long.MinValue, long.MaxValue);
            var get = new BitFieldStep { IsSigned = isSigned, Width = width, Offset = offset };
            Span<BitFieldStep> steps = [get, get with { Action = BitFieldAction.Set, Value = value }, get];

            Assert.Equal(WriteStatus.Done, Store.ChangeBits("k"u8, steps));

            long before = Read(bits, offset, width, isSigned);
            for (int i = 0; i < width; i++)
                bits[offset + i] = (value >> (width - 1 - i) & 1) != 0;
            Assert.Equal(before, steps[0].Result);
            Assert.Equal(before, steps[1].Result);
            Assert.Equal(Read(bits, offset, width, isSigned), steps[2].Result);
        }

        byte[] stored = Store.GetArray("k"u8)!;
        for (int i = 0; i < stored.Length * 8; i++)
            Assert.Equal(i < bits.Length && bits[i], (stored[i / 8] >> (7 - i % 8) & 1) != 0);
    });

    [Theory]
    [InlineData(0, false)]
    [InlineData(10, false)]
    [InlineData(10, true)]
    [InlineData(Long, false)]
    [InlineData(Long, true)]
    public void ChangeBits_BehindTheEnd_GrowsWithZerosAndKeepsTheExpiry(int length, bool isFar)
    {
        byte[] value = new byte[length];
        value.AsSpan().Fill(0xFF);
        Store.Set("k"u8, value, new EntryOptions { ExpiresAtMs = _fixture.NowMs + 1000 });
        int at = length + (isFar ? 2 * Long : 3);

        Assert.Equal(WriteStatus.Done, Store.ChangeBits("k"u8, [SetBit(at * 8L)]));

        byte[] expected = new byte[at + 1];
        value.CopyTo(expected, 0);
        expected[at] = 0x80;
        Assert.Equal(expected, Store.GetArray("k"u8)!);
        Assert.Equal(1, Store.ExpiringCount);
        Store.AssertValid();
    }

    [Fact]
    public void ChangeBits_OfALongValue_CopiesItOnlyWhereItIsLent()
    {
        Store.Set("k"u8, new byte[Long]);
        Assert.True(Store.TryChangeBitsInPlace("k"u8, [SetBit(5)], out _));
        var sink = default(ArraySink);
        Store.TryGet("k"u8, Store.BeginPrefetch("k"u8), ref sink, 1, out var lent);
        byte before = lent!.Span[1];

        Assert.False(Store.TryChangeBitsInPlace("k"u8, [SetBit(8)], out _));
        Assert.Equal(0, Store.GetArray("k"u8)![1]);
        Assert.Equal(WriteStatus.Done, Store.ChangeBits("k"u8, [SetBit(8)]));

        Assert.Equal(before, lent.Span[1]);
        Assert.Equal(0x80, Store.GetArray("k"u8)![1]);
        lent.Dispose();
    }

    [Fact]
    public void ChangeBits_OfThousandsOfSteps_IsNotRunUnderALock()
    {
        var steps = new BitFieldStep[BitFieldWriter.StepsMax + 1];
        for (int i = 0; i < steps.Length; i++)
            steps[i] = new BitFieldStep { Action = BitFieldAction.Add, Width = 32, Value = 1 };

        Assert.False(Store.TryChangeBitsInPlace("k"u8, steps, out _));
        Assert.False(Store.Contains("k"u8));
        Assert.Equal(WriteStatus.Done, Store.ChangeBits("k"u8, steps));

        Assert.Equal(steps.Length, steps[^1].Result);
        Assert.Equal(steps.Length, System.Buffers.Binary.BinaryPrimitives.ReadInt32BigEndian(Store.GetArray("k"u8)!));
    }

    // A value that gets a block of its own for readers would be a new one.
    [Theory]
    [InlineData(10)]
    [InlineData(Long)]
    public void ChangeBits_OfThousandsOfReads_LeavesTheEntryAsItIs(int length)
    {
        byte[] value = new byte[length];
        value.AsSpan().Fill(0xA5);
        Store.Set("k"u8, value);
        Store.TryPeekInfo("k"u8, out var before);
        long memory = Store.GetStatistics().MemoryBytes;
        var steps = new BitFieldStep[BitFieldWriter.StepsMax + 1];
        steps.AsSpan().Fill(new BitFieldStep { Width = 8, Offset = 8 });

        Assert.Equal(WriteStatus.Done, Store.ChangeBits("k"u8, steps));

        Assert.All(steps, static step => Assert.Equal(0xA5, step.Result));
        Store.TryPeekInfo("k"u8, out var after);
        Assert.Equal((before.Version, memory), (after.Version, Store.GetStatistics().MemoryBytes));
        Assert.Equal(WriteStatus.NotFound, Store.ChangeBits("none"u8, steps));
        Assert.All(steps, static step => Assert.Equal(0, step.Result));
    }

    [Fact]
    public void ChangeBits_ReadsOnly_MakeNoEntry()
    {
        Span<BitFieldStep> steps = [new() { Action = BitFieldAction.Get, Width = 8, Offset = 100 }];

        Assert.Equal(WriteStatus.NotFound, Store.ChangeBits("k"u8, steps));
        Assert.Equal(0, steps[0].Result);
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void ChangeBits_BeyondTheLongestValue_ReportsIt() => Assert.Equal(
        WriteStatus.ValueTooLong, Store.ChangeBits("k"u8, [SetBit(8L * CacheStore.ValueLengthMax)]));

    [Fact]
    public void ChangeBits_WithoutRoom_ChangesNothing()
    {
        using var fixture = new StoreFixture(static options => options.Eviction = EvictionPolicy.None);
        var store = fixture.Store;
        store.Set("k"u8, "v"u8);
        for (int i = 0; store.Set(BitConverter.GetBytes(i), new byte[10_000]) == WriteStatus.Done; i++)
        {
        }

        Assert.Equal(WriteStatus.OutOfMemory, store.ChangeBits("k"u8, [SetBit(8_000_000)]));
        Assert.Equal("v"u8, store.GetArray("k"u8)!);
    }

    [Theory]
    [InlineData(0, false, 0)]
    [InlineData(64, false, 0)]
    [InlineData(65, true, 0)]
    [InlineData(8, false, -1)]
    public void ChangeBits_OutOfRange_Throws(int width, bool isSigned, long offset) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Store.ChangeBits(
            "k"u8, [new BitFieldStep { Width = width, IsSigned = isSigned, Offset = offset }]));

    // Each thread adds to a field of its own beside the others': none is lost.
    [Fact]
    public void ChangeBits_OfNeighboursByThreads_LosesNone()
    {
        const int Threads = 4;
        const int Rounds = 5_000;
        var threads = Enumerable.Range(0, Threads).Select(index => new Thread(() =>
        {
            for (int i = 0; i < Rounds; i++)
            {
                Store.ChangeBits(
                    "k"u8,
                    [new BitFieldStep { Action = BitFieldAction.Add, Width = 15, Offset = 15L * index, Value = 1 }]);
            }
        })).ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();

        for (int index = 0; index < Threads; index++)
        {
            Span<BitFieldStep> steps = [new() { Action = BitFieldAction.Get, Width = 15, Offset = 15L * index }];
            Store.ChangeBits("k"u8, steps);
            Assert.Equal(Rounds, steps[0].Result);
        }
    }

    private static BitFieldStep SetBit(long offset) =>
        new() { Action = BitFieldAction.Set, Width = 1, Offset = offset, Value = 1 };

    private static long Read(bool[] bits, int offset, int width, bool isSigned)
    {
        long value = isSigned && bits[offset] ? -1 : 0;
        for (int i = 0; i < width; i++)
            value = (value << 1) | (bits[offset + i] ? 1L : 0);
        return value;
    }
}
