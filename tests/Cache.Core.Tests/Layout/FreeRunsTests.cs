using Cache.Core.Layout;
using Cache.Testing;

namespace Cache.Core.Tests.Layout;

public sealed class FreeRunsTests : IDisposable
{
    private const int Count = 4_000;

    private readonly FreeRuns _runs = new(Count);

    public void Dispose() => _runs.Dispose();

    [Fact]
    public void Give_BetweenTwoNeighbours_JoinsThem()
    {
        _runs.Give(10, 5, resident: true);
        _runs.Give(20, 5, resident: true);
        _runs.Give(15, 5, resident: true);

        Assert.True(_runs.TryTake(15, resident: true, out int start));
        Assert.Equal(10, start);
        Assert.Equal(0, _runs.ResidentCount);
    }

    [Fact]
    public void Give_BesideANeighbourOfTheOtherKind_StaysApart()
    {
        _runs.Give(10, 5, resident: false);
        _runs.Give(15, 5, resident: true);

        Assert.False(_runs.TryTake(6, resident: true, out _));
        Assert.False(_runs.TryTake(6, resident: false, out _));
    }

    [Fact]
    public void TryTake_OfALongerRun_LeavesItsRest()
    {
        _runs.Give(10, 100, resident: true);

        Assert.True(_runs.TryTake(30, resident: true, out int start));

        Assert.Equal(10, start);
        Assert.Equal(70, _runs.ResidentCount);
    }

    [Fact]
    public void TryTakeShortest_OfTwo_TakesTheShorterAndNoMoreThanAsked()
    {
        _runs.Give(100, 50, resident: true);
        _runs.Give(10, 40, resident: true);

        Assert.True(_runs.TryTakeShortest(8, out int start, out int length));

        Assert.Equal((10, 8), (start, length));
    }

    [Fact]
    public void TryTakeOfLongest_OfTwo_TakesTheEndOfTheLonger()
    {
        _runs.Give(100, 50, resident: true);
        _runs.Give(1_000, 900, resident: true);

        Assert.True(_runs.TryTakeOfLongest(60, 8, out int start, out int length));

        Assert.Equal((1_892, 8), (start, length));
        Assert.Equal(50 + 892, _runs.ResidentCount);
        _runs.AssertValid();
    }

    [Fact]
    public void TryTakeOfLongest_OfShorterOnes_TakesNone()
    {
        Assert.False(_runs.TryTakeOfLongest(1, 8, out _, out _));
        _runs.Give(100, 50, resident: true);

        Assert.False(_runs.TryTakeOfLongest(51, 8, out _, out _));
        Assert.True(_runs.TryTakeOfLongest(50, 80, out int start, out int length));
        Assert.Equal((100, 50), (start, length));
    }

    [Fact]
    public void TakePagesAround_TakesTheRestOfThePagesAndNoMore()
    {
        _runs.Give(1, 9, resident: false);
        _runs.Give(14, 9, resident: false);
        int start = 10;
        int length = 4;

        _runs.TakePagesAround(ref start, ref length, pageGrains: 4);

        Assert.Equal((8, 8), (start, length));
        Assert.Equal(7 + 7, _runs.EmptyCount);
        _runs.AssertValid();
    }

    [Fact]
    public void RandomTakesAndGives_NeverOverlapAndLoseNothing() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        using var runs = new FreeRuns(Count);
        bool[] used = new bool[Count + 1];
        var taken = new List<(int Start, int Length)>();
        runs.Give(1, Count - 1, resident: false);
        for (int i = 0; i < 20_000; i++)
        {
            if (random.Next(2) == 0)
            {
                int length = 1 + random.Next(1 + random.Next(300));
                if (!runs.TryTake(length, random.Next(2) == 0, out int start))
                    continue;
                Assert.DoesNotContain(true, used.AsSpan(start, length).ToArray());
                used.AsSpan(start, length).Fill(true);
                taken.Add((start, length));
            }
            else if (taken.Count > 0)
            {
                int index = random.Next(taken.Count);
                var (start, length) = taken[index];
                taken[index] = taken[^1];
                taken.RemoveAt(taken.Count - 1);
                used.AsSpan(start, length).Clear();
                runs.Give(start, length, resident: random.Next(2) == 0);
            }

            if (i % 100 == 0)
                runs.AssertValid();
            Assert.Equal(Count - 1 - taken.Sum(run => run.Length), runs.ResidentCount + runs.EmptyCount);
        }
    });
}
