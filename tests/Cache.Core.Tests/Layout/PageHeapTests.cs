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

        // On a thread of the pool down to a bound, and by the next sweep all.
        SpinWait.SpinUntil(() => _heap.OutCount == 0 && _heap.SpareBytes <= 8 * Megabyte);
        _heap.DropUnasked();
        Assert.Equal(4 * Megabyte, _heap.SpareBytes);
        Assert.Equal(0, _heap.OutCount);
    }

    [Fact]
    public void Release_OfHalfAGigabyte_LeavesItToAnotherThreadAndThatSoon()
    {
        var block = Create(512 * Megabyte - 100, mark: null);
        long before = NativeReservation.DiscardedByThread;

        Release(block);

        Assert.Equal(before, NativeReservation.DiscardedByThread);
        SpinWait.SpinUntil(() => _heap.OutCount == 0 && _heap.SpareBytes <= 8 * Megabyte);
    }

    [Fact]
    public void Release_WhereNoThreadCouldBeAsked_AsksAgainAtTheNextOne()
    {
        int asked = 0;
        using var heap = new PageHeap(256 * Megabyte, 1L << 30, _ =>
        {
            asked++;
            throw new OutOfMemoryException();
        });
        var blocks = Enumerable.Range(0, 10).Select(_ => Create(heap, Megabyte - 100)).ToArray();

        foreach (var block in blocks)
            block.Release(heap); // From the ninth on it is too much.

        Assert.Equal(2, asked);
    }

    [Fact]
    public void Create_WhileTooMuchIsSpare_GivesAsMuchBackAsItTakes()
    {
        Release(Create(7 * Megabyte - 100, mark: 1)); // 3 MB too much: less than a thread of the pool begins for.
        Assert.Equal(7 * Megabyte, _heap.SpareBytes);

        // Its pages are among these.
        var first = Create(Megabyte - 100, mark: null);
        Assert.Equal(6 * Megabyte, _heap.SpareBytes);
        Assert.Equal(1, first.Value[0]);

        _heap.GiveBackFor(Megabyte);
        Assert.Equal(5 * Megabyte, _heap.SpareBytes);
        var second = Create(16 * Megabyte, mark: null);

        Assert.Equal(4 * Megabyte, _heap.SpareBytes);
        Release(first);
        Release(second);
    }

    [Fact]
    public void Create_OfALongValueWhileMuchIsSpare_GivesABoundedPartBack()
    {
        using var heap = new PageHeap(1L << 40, 4L << 30); // Keeps 16 MB ready.
        var blocks = Enumerable.Range(0, 31).Select(_ => Create(heap, Megabyte - 100)).ToArray();
        foreach (var block in blocks)
            block.Release(heap);
        Assert.Equal(31 * Megabyte, heap.SpareBytes);
        long before = NativeReservation.DiscardedByThread;

        Assert.True(LargeBlock.TryCreate(64 * Megabyte, 64 * Megabyte, heap, out var longer));

        Assert.Equal(15 * Megabyte, NativeReservation.DiscardedByThread - before);
        Assert.Equal(16 * Megabyte, heap.SpareBytes);
        longer.Release(heap);
    }

    [Fact]
    public void DropUnasked_AfterALongValue_GivesBackWhatIsTooMuchAtOnce()
    {
        Release(Create(7 * Megabyte - 100, mark: 1));

        _heap.DropUnasked();
        Assert.Equal(4 * Megabyte, _heap.SpareBytes);

        _heap.DropUnasked();
        Assert.Equal(0, _heap.SpareBytes);
        var again = Create(7 * Megabyte - 100, mark: null);
        Assert.Equal(-1, again.Value.IndexOfAnyExcept((byte)0));
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

        small.DropUnasked();
        small.DropUnasked();

        // One run again, and nothing left in it.
        Assert.True(LargeBlock.TryCreate(64 * 9 * 1_024 - 16, 64 * 9 * 1_024 - 16, small, out var all));
        Assert.Equal(-1, all.Value.IndexOfAnyExcept((byte)0));
        all.Release(small);
    }

    [Fact]
    public async Task GiveBackFor_OfNeighboursWithinAPageAtOnce_GivesThePageBack()
    {
        const int Length = 36 << 10;
        const int Piece = 5 << 10; // Two of them share a page.
        const int Pieces = 2;
        const int Rounds = 5_000;
        using var small = new PageHeap(Megabyte, 1L << 30); // Keeps 16 KB ready: 20 KB are too much.
        using var barrier = new Barrier(2);
        for (int round = 0; round < Rounds; round++)
        {
            Create(small, Length - 16).Release(small);
            var other = Task.Run(GiveBack, TestContext.Current.CancellationToken);
            GiveBack();
            await other;
            small.DropUnasked();
            small.DropUnasked();
            SpinWait.SpinUntil(() => small.OutCount == 0); // A thread of the pool may have the last one in its hands.

            Assert.True(LargeBlock.TryCreate(Length - 16, Length - 16, small, out var all));
            Assert.True(
                !all.Value.ContainsAnyExcept((byte)0), $"A page that two runs shared is still there, round {round}.");
            all.Release(small);
        }

        void GiveBack()
        {
            barrier.SignalAndWait();
            for (int i = 0; i < Pieces; i++)
                small.GiveBackFor(Piece);
        }
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
        SpinWait.SpinUntil(() => _heap.OutCount == 0); // A thread of the pool may have the last one in its hands.
        _heap.DropUnasked();
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
