using System.Runtime.CompilerServices;
using Cache.Core.Layout;
using Cache.Testing;

namespace Cache.Core.Tests.Layout;

public sealed class TreePagesTests : IDisposable
{
    private const long Addresses = 64 << 20;

    private readonly TreePages _pages;
    private long _charged;
    private long _limit = long.MaxValue;

    public TreePagesTests() => _pages = Create(cachedPerLength: 0);

    public void Dispose() => _pages.Dispose();

    [Fact]
    public void Sizes_AreThoseOfTheDrawings()
    {
        Assert.Equal(SlabInfo.Size, Unsafe.SizeOf<SlabInfo>());
        Assert.Equal(4096, TreePage.SizeMax);
        Assert.Equal(64 << 10, TreePages.SlabLength);
    }

    [Theory]
    [InlineData(1, 128)]
    [InlineData(3, 42)]
    [InlineData(5, 25)]
    [InlineData(8, 16)]
    public void TryTake_OfASlabsPages_ChargesOneSlab(int grains, int capacity)
    {
        var taken = new HashSet<uint>();
        for (int i = 0; i < capacity; i++)
            taken.Add(Take(grains));

        Assert.Equal(capacity, taken.Count);
        Assert.All(taken, page => Assert.Equal(grains, _pages.GrainsOf(page)));
        Assert.All(taken, page => Assert.True(_pages.IsOut(page)));
        Assert.Equal(TreePages.SlabBytes, _charged);
        Assert.Equal(_charged, _pages.UsedBytes);
        Take(grains);
        Assert.Equal(2 * TreePages.SlabBytes, _charged);
        Assert.Equal(capacity + 1, _pages.Audit());
    }

    [Fact]
    public void TryTake_BeyondTheBudget_TakesNothing()
    {
        _limit = TreePages.SlabBytes;
        Take(8);

        Assert.False(_pages.TryTake(7, out _));
        Assert.Equal(TreePages.SlabBytes, _charged);
        Assert.Equal(1, _pages.Audit());
    }

    [Fact]
    public void TryTake_BeyondTheAddresses_ReturnsWhatWasCharged()
    {
        using var small = new TreePages(TreePages.SlabLength, TreePages.SlabLength, Budget, 0, hugePages: false);
        for (int i = 1; i < small.SlabCountMax; i++)
            Assert.True(small.TryTake(8, out _));
        while (small.TryTake(8, out _))
        {
        }

        Assert.Equal((small.SlabCountMax - 1L) * TreePages.SlabBytes, _charged);
    }

    [Fact]
    public void Give_OfASlabsLastPage_ReturnsTheSlab()
    {
        uint first = Take(4), second = Take(4);
        _pages.Give(first);
        Assert.Equal(TreePages.SlabBytes, _charged);

        _pages.Give(second);

        Assert.Equal(0, _charged);
        Assert.Equal((0, 0, TreePages.SlabLength), (_pages.UsedBytes, _pages.PageBytes, _pages.SpareBytes));
        Assert.Equal(0, _pages.Audit());
    }

    [Fact]
    public void TryTake_AfterAReturn_TakesTheMemoryThatIsThere()
    {
        uint page = Take(4);
        _pages.Give(page);

        Assert.Equal(page, Take(2));
        Assert.Equal(0, _pages.SpareBytes);
    }

    [Fact]
    public void DropSpare_GivesMemoryBackInSteps()
    {
        var taken = Enumerable.Range(0, 64).Select(_ => Take(8)).ToList();
        foreach (uint number in taken)
        {
            var page = _pages.Addresses[number];
            page.Owner = 17;
        }

        taken.ForEach(_pages.Give);
        Assert.Equal(4 * TreePages.SlabLength, _pages.SpareBytes);

        Assert.Equal(2 * TreePages.SlabLength, _pages.DropSpare(TreePages.SlabLength, slabsMax: 2));
        Assert.Equal(TreePages.SlabLength, _pages.DropSpare(TreePages.SlabLength, slabsMax: 100));
        Assert.Equal(0, _pages.DropSpare(TreePages.SlabLength, slabsMax: 100));

        Assert.Equal(TreePages.SlabLength, _pages.SpareBytes);
        Assert.Equal(0, _pages.Audit());
        if (OperatingSystem.IsLinux())
            Assert.Equal(3 * 16, taken.Count(page => _pages.Addresses[page].Owner == 0));
        Assert.Equal(taken.Order(), Enumerable.Range(0, 64).Select(_ => Take(8)).Order());
    }

    [Fact]
    public void Caches_KeepAFewPages_WhichAFlushReturns()
    {
        using var pages = Create(cachedPerLength: 2);
        var taken = Enumerable.Range(0, 40).Select(_ => Take(pages, 8)).ToList();
        taken.ForEach(pages.Give);
        Assert.InRange(pages.Audit(), 1, 2 * Environment.ProcessorCount * 2);

        pages.FlushCaches();

        Assert.Equal(0, pages.Audit());
        Assert.Equal(0, _charged);
    }

    [Fact]
    public void ChooseVictims_TakesSlabsThatAreHardlyUsed()
    {
        var (kept, moved) = Spread();

        Assert.Equal(3, _pages.ChooseVictims(0.5, slabsMax: 100));

        Assert.All(moved, page => Assert.True(_pages.IsVictim(page)));
        Assert.All(kept, page => Assert.False(_pages.IsVictim(page)));
        Assert.Equal(moved.Order(), ReadVictims().Order());
        _pages.Audit();
    }

    [Fact]
    public void TryTake_TakesNothingOfAVictim()
    {
        Spread();
        _pages.ChooseVictims(0.5, slabsMax: 100);

        for (int i = 0; i < 100; i++)
            Assert.False(_pages.IsVictim(Take(8)));
        _pages.Audit();
    }

    [Fact]
    public void Give_OfAVictimsLastPage_ReturnsTheSlab()
    {
        var (_, moved) = Spread();
        _pages.ChooseVictims(0.5, slabsMax: 100);
        long before = _charged;

        moved.ForEach(_pages.Give);

        Assert.Equal(3 * TreePages.SlabBytes, before - _charged);
        Assert.Equal(0, _pages.FirstVictim);
        _pages.Audit();
    }

    [Fact]
    public void ReleaseVictims_UsesThemAgain()
    {
        Spread();
        _pages.ChooseVictims(0.5, slabsMax: 100);

        _pages.ReleaseVictims();

        Assert.Equal(0, _pages.FirstVictim);
        long before = _charged;
        for (int i = 0; i < 3 * 15; i++)
            Take(8);
        Assert.Equal(before, _charged);
        _pages.Audit();
    }

    [Fact]
    public void ChooseVictims_WithoutRoomElsewhere_LeavesThem()
    {
        var taken = Enumerable.Range(0, 32).Select(_ => Take(8)).ToList();
        foreach (uint page in taken.Where(static (_, i) => i % 16 >= 7))
            _pages.Give(page);

        // 7 pages of one fit beside the 7 of the other; then there is no third.
        Assert.Equal(1, _pages.ChooseVictims(0.5, slabsMax: 100));
        _pages.Audit();
    }

    [Fact]
    public void Dispose_LeavesPagesReadable()
    {
        uint page = Take(8);
        _pages.Dispose();

        Assert.False(_pages.TryTake(3, out _));
        Assert.Equal(0u, _pages.Addresses[page].Owner);
        _pages.Give(page);
    }

    [Fact]
    public void TryTake_AfterTheDisposal_TakesNothing()
    {
        var pages = Create(cachedPerLength: 4);
        uint first = Take(pages, 8);
        Take(pages, 8);
        pages.Give(first);

        pages.Dispose();

        Assert.False(pages.TryTake(8, out _));
        Assert.False(pages.TryTakeFromOpenSlab(8, out _));
    }

    [Fact]
    public void Addresses_OfAnyNumber_AreWithinTheReservation()
    {
        var last = _pages.Addresses[uint.MaxValue];

        Assert.Equal(last, _pages.Addresses[uint.MaxValue - 1]);
        Assert.Equal(0, last.Count);
    }

    [Fact]
    public void Pages_TakenByManyThreads_AreNobodyElses() => RandomSeed.Run(this, seed =>
    {
        using var pages = Create(cachedPerLength: 4);
        int wrong = 0;
        var threads = Enumerable.Range(1, 4).Select(mark => new Thread(() =>
        {
            var random = new Random(seed + mark);
            var mine = new List<uint>();
            for (int i = 0; i < 20_000; i++)
            {
                if (mine.Count < 300 && random.Next(5) < 3)
                {
                    mine.Add(Take(pages, random.Next(1, 9)));
                    var page = pages.Addresses[mine[^1]];
                    page.Owner = (uint)mark;
                }
                else if (mine.Count > 0)
                {
                    int index = random.Next(mine.Count);
                    wrong += pages.Addresses[mine[index]].Owner == mark ? 0 : 1;
                    pages.Give(mine[index]);
                    mine.RemoveAt(index);
                }

                if (mark == 1 && i % 1_000 == 0)
                    pages.ChooseVictims(0.5, slabsMax: 100);
                if (mark == 2 && i % 1_000 == 0)
                    pages.DropSpare(0, slabsMax: 10);
                if (mark == 1 && i % 1_000 == 500)
                    pages.ReleaseVictims();
            }

            mine.ForEach(pages.Give);
        })).ToList();
        threads.ForEach(static thread => thread.Start());
        threads.ForEach(static thread => thread.Join());

        Assert.Equal(0, wrong);
        pages.ReleaseVictims();
        pages.FlushCaches();
        Assert.Equal(0, pages.Audit());
        Assert.Equal((0, 0), (_charged, pages.UsedBytes));
    });

    private SlabBudget Budget => new(
        (bytes, mayOverdraw) =>
        {
            if (Interlocked.Add(ref _charged, bytes) <= _limit || mayOverdraw)
                return true;
            Interlocked.Add(ref _charged, -bytes);
            return false;
        },
        bytes => Interlocked.Add(ref _charged, -bytes));

    private TreePages Create(int cachedPerLength) =>
        new(Addresses, Addresses, Budget, cachedPerLength, hugePages: false);

    // Six slabs of the longest pages: every second one has three pages left.
    private (List<uint> Kept, List<uint> Moved) Spread()
    {
        var taken = Enumerable.Range(0, 6 * 16).Select(_ => Take(8)).ToList();
        var kept = taken.Where(static (_, i) => i / 16 % 2 == 0 && i % 16 < 12).ToList();
        var moved = taken.Where(static (_, i) => i / 16 % 2 == 1 && i % 16 < 3).ToList();
        foreach (uint page in taken.Except(kept).Except(moved))
            _pages.Give(page);
        return (kept, moved);
    }

    private List<uint> ReadVictims()
    {
        var found = new List<uint>();
        Span<uint> pages = stackalloc uint[TreePages.SlabGrains];
        for (int slab = _pages.FirstVictim; slab != 0;)
        {
            int count = _pages.ReadVictim(slab, pages, out slab);
            found.AddRange(pages[..count]);
        }

        return found;
    }

    private uint Take(int grains) => Take(_pages, grains);

    private static uint Take(TreePages pages, int grains)
    {
        Assert.True(pages.TryTake(grains, out uint page));
        return page;
    }
}
