using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

/// <summary>How often entries of different sizes must be used to stay.</summary>
public sealed class EvictionBySizeTests
{
    private const long LimitBytes = 4 << 20;
    private const int UsualLength = 1_000;
    private const int Fill = (int)(2 * LimitBytes / UsualLength);
    private const int Keys = 20;

    private readonly StoreFixture _fixture = new(options =>
    {
        options.MemoryLimitBytes = LimitBytes;
        options.EstimatesHitRatios = false;
    });

    private int _filled;

    [Theory]
    [InlineData(100, 0, false)]
    [InlineData(100, 1, true)] // Small: one use.
    [InlineData(UsualLength, 1, false)]
    [InlineData(UsualLength, 2, true)]
    [InlineData(3_000, 2, true)] // Beside the segments' length it is stored like the others.
    [InlineData(8_000, 2, false)] // Long: three uses. Its value has a block of its own.
    [InlineData(8_000, 3, true)]
    public void Set_OfOthers_NewOnesStayByTheirUsesAndSize(int length, int uses, bool stays)
    {
        using (_fixture)
        {
            FillUp();
            WriteAndUse(length, uses);
            FillUp(Fill / 2);

            // The 15 bits of a ghost may be another key's.
            Assert.InRange(Present(), stays ? Keys - 1 : 0, stays ? Keys : 1);
        }
    }

    // In main each turn takes a use; a long one goes while it has one left.
    [Fact]
    public void Set_OfOthersThatStay_LongOnesLeaveMainATurnEarlier()
    {
        using (_fixture)
        {
            int usual = StepsInMain(UsualLength);
            int large = StepsInMain(8_000);
            Assert.True(usual > 1.5 * large, $"They stay for {usual} and {large} steps, of two turns and of one.");
        }
    }

    private int StepsInMain(int length)
    {
        const int stepsMax = 100;
        FillUp();
        WriteAndUse(length, uses: 3);
        FillUp(Fill / 2);
        Assert.InRange(Present(), Keys - 1, Keys);
        Use(1);
        int steps = 0;
        for (; steps < stepsMax && Present() > Keys / 2; steps++)
            FillMain(Fill / 20);
        return steps;
    }

    private void WriteAndUse(int length, int uses)
    {
        for (int i = 0; i < Keys; i++)
            Assert.Equal(WriteStatus.Done, _fixture.Store.Set(Bytes($"key:{i}"), new byte[length]));
        Use(uses);
    }

    private void Use(int times)
    {
        for (int use = 0; use < times; use++)
        {
            for (int i = 0; i < Keys; i++)
                Assert.NotNull(_fixture.Get($"key:{i}"));
        }
    }

    private int Present() => Enumerable.Range(0, Keys).Count(i => _fixture.Peek($"key:{i}") is not null);

    private void FillUp(int count = Fill)
    {
        for (int i = 0; i < count; i++)
            _fixture.Set($"fill:{_filled++}", new string('x', UsualLength));
    }

    // Every other one: where nothing can go, more use is asked of all.
    private void FillMain(int count)
    {
        for (int i = 0; i < count; i++)
        {
            FillUp(2);
            _fixture.Get($"fill:{_filled - 1}");
            _fixture.Get($"fill:{_filled - 1}");
        }
    }
}
