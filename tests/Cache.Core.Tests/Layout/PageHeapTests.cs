using System.Globalization;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Layout;

public sealed class PageHeapTests : IDisposable
{
    private const int Megabyte = 1 << 20;

    // Keeps 4 MB ready, of which no run has more than a half.
    private readonly PageHeap _heap = new(256 * Megabyte, 1L << 30);

    public void Dispose() => _heap.Dispose();

    [Fact]
    public void Create_AfterARelease_TakesItsMemory()
    {
        Release(Create(Megabyte, mark: 17));
        Assert.Equal(_heap.SizeOf(Megabyte + 16), _heap.SpareBytes);

        var again = Create(Megabyte, mark: null);

        Assert.Equal(17, again.Value[1_000]);
        Assert.Equal(0, _heap.SpareBytes);
        Release(again);
    }

    [Fact]
    public void Create_FarShorter_LeavesTheRestReady()
    {
        Release(Create(Megabyte, mark: 17));

        var shorter = Create(100_000, mark: null);

        Assert.Equal(17, shorter.Value[1_000]);
        Assert.Equal(_heap.SizeOf(Megabyte + 16) - shorter.SizeBytes, _heap.SpareBytes);
        Release(shorter);
    }

    [Fact]
    public void Release_BeyondTheBound_GivesTheRestBackToTheSystem()
    {
        var blocks = Enumerable.Range(1, 20).Select(i => Create(Megabyte - 100, mark: (byte)i)).ToArray();
        foreach (var block in blocks)
            Release(block);

        Assert.Equal(4 * Megabyte, _heap.SpareBytes);
        Assert.Equal(0, _heap.OutCount);
    }

    [Fact]
    public void Release_OfALongValue_LeavesZeros()
    {
        Release(Create(3 * Megabyte, mark: 1));
        Assert.Equal(0, _heap.SpareBytes);

        var again = Create(3 * Megabyte, mark: null);

        Assert.Equal(0, again.Value[1_000]);
        Release(again);
    }

    [Fact]
    public void DropUnasked_KeepsWhatIsAskedFor()
    {
        Release(Create(Megabyte, mark: 1));
        _heap.DropUnasked();
        Assert.NotEqual(0, _heap.SpareBytes);

        _heap.DropUnasked();
        Assert.Equal(0, _heap.SpareBytes);
    }

    [Fact]
    public void FitTo_ALowerLimit_KeepsLess()
    {
        Release(Create(Megabyte, mark: 1));

        _heap.FitTo(32 * Megabyte);

        Assert.Equal(Megabyte / 2, _heap.SpareBytes);
    }

    [Fact]
    public void Dispose_WhileARunIsOut_LeavesItUsable()
    {
        var late = Create(Megabyte, mark: 9);
        _heap.Dispose();

        Assert.False(LargeBlock.TryCreate(10_000, 10_000, _heap, out _));
        Assert.Equal(-1, late.Value.IndexOfAnyExcept((byte)9));
        Release(late);
        Assert.Equal((0, 0), (_heap.OutCount, _heap.SpareBytes));
    }

    [Fact]
    public void Create_WithoutAddressesLeft_HasMemoryByItself()
    {
        using var small = new PageHeap(256 * Megabyte, addressBytes: Megabyte);

        Assert.True(LargeBlock.TryCreate(2 * Megabyte, 2 * Megabyte, small, out var block));

        block.Value.Fill(1);
        Assert.Equal(0, small.OutCount);
        Assert.NotEqual(0, block.Release(small));
    }

    [Fact]
    public void Create_InASmallStore_LosesLessThanAKilobyte()
    {
        using var small = new PageHeap(8 * Megabyte, 1L << 30);

        Assert.True(LargeBlock.TryCreate(2_100, 2_100, small, out var block));

        Assert.InRange(block.SizeBytes, 2_100, 2_100 + 16 + 1_024);
        block.Release(small);
    }

    [Fact]
    public void Release_OfNeighboursWithinAPage_GivesThePageBack()
    {
        using var small = new PageHeap(Megabyte, 1L << 30); // Keeps 16 KB ready, and no run of more than 8.
        var blocks = Enumerable.Range(0, 64).Select(_ => Create(small, 9 * 1_024 - 16)).ToArray();
        foreach (var block in blocks)
            block.Release(small);

        // One run again, and nothing left in it.
        Assert.True(LargeBlock.TryCreate(64 * 9 * 1_024 - 16, 64 * 9 * 1_024 - 16, small, out var all));
        Assert.Equal(-1, all.Value.IndexOfAnyExcept((byte)0));
        all.Release(small);
    }

    [Fact]
    public void Blocks_TakenByManyThreads_AreNobodyElses()
    {
        const int Threads = 4;
        string? wrong = null;
        var threads = Enumerable.Range(1, Threads).Select(mark => new Thread(() =>
        {
            var random = new Random(mark);
            var mine = new List<LargeBlock>();
            for (int i = 0; i < 2_000; i++)
            {
                if (mine.Count < 16)
                {
                    mine.Add(Create(1 + random.Next(random.Next(2) == 0 ? 20_000 : 3 * Megabyte / 2), mark: null));
                    mine[^1].Value[..1].Fill((byte)mark);
                    mine[^1].Value[^1..].Fill((byte)mark);
                    continue;
                }

                int index = random.Next(mine.Count);
                if (mine[index].Value[0] != mark || mine[index].Value[^1] != mark)
                    wrong = string.Create(CultureInfo.InvariantCulture, $"thread {mark}, step {i}");
                Release(mine[index]);
                mine.RemoveAt(index);
            }

            mine.ForEach(Release);
        })).ToList();
        threads.ForEach(static thread => thread.Start());
        threads.ForEach(static thread => thread.Join());

        Assert.Null(wrong);
        Assert.Equal(0, _heap.OutCount);
        Assert.InRange(_heap.SpareBytes, 0, 4 * Megabyte);
    }

    private static LargeBlock Create(PageHeap heap, int length)
    {
        Assert.True(LargeBlock.TryCreate(length, length, heap, out var block));
        block.Value.Fill(7);
        return block;
    }

    private LargeBlock Create(int length, byte? mark)
    {
        Assert.True(LargeBlock.TryCreate(length, length, _heap, out var block));
        if (mark is { } value)
            block.Value.Fill(value);
        return block;
    }

    private void Release(LargeBlock block) => Assert.NotEqual(0, block.Release(_heap));
}
