using Cache.Core.Log;

namespace Cache.Core.Tests.Log;

public sealed class MemoryBudgetTests
{
    private readonly MemoryBudget _budget = new(1000, EvictionPolicy.AllEntries);

    [Fact]
    public void TryTake_WhileAnotherThreadClaims_TakesNothing()
    {
        _budget.Add(300);
        _budget.BeginClaim();

        bool isTakenByOther = OnAnotherThread(() => _budget.TryTake(100, 0));
        bool isTakenByOwner = _budget.TryTake(200, 0);
        _budget.EndClaim();

        Assert.False(isTakenByOther);
        Assert.True(isTakenByOwner);
        Assert.True(OnAnotherThread(() => _budget.TryTake(500, 0)));
        Assert.Equal(1000, _budget.UsedBytes);
        Assert.Equal(1000, _budget.PeakBytes);
    }

    // More claims than their part of the word counts.
    [Fact]
    public void UsedBytes_AfterManyClaims_AreTheSame()
    {
        _budget.Add(300);
        for (int i = 0; i < 10_000; i++)
        {
            _budget.BeginClaim();
            Assert.Equal(300, _budget.UsedBytes);
            _budget.EndClaim();
        }

        _budget.Add(-300);
        Assert.Equal(0, _budget.UsedBytes);
        Assert.True(_budget.TryTake(1000, 0));
        Assert.False(_budget.TryTake(1, 0));
    }

    private static bool OnAnotherThread(Func<bool> body)
    {
        bool result = false;
        var thread = new Thread(() => result = body());
        thread.Start();
        thread.Join();
        return result;
    }
}
