using Cache.Core.Eviction;

namespace Cache.Core.Tests.Eviction;

public class UsualSizeTests
{
    private UsualSize _usual;

    [Fact]
    public void Look_OfEqualSizes_NoneNeedsMoreOrLess() =>
        Assert.All(LookAt(64, 10_000), more => Assert.Equal(0, more));

    // As strings of one kind do.
    [Fact]
    public void Look_OfSizesThatDifferByAThird_NoneNeedsMoreOrLess()
    {
        for (int i = 0; i < 10_000; i++)
            Assert.Equal(0, _usual.Look(100 + i * 7 % 33));
    }

    [Theory]
    [InlineData(1, -1)]
    [InlineData(49, -1)]
    [InlineData(51, 0)]
    [InlineData(399, 0)]
    [InlineData(410, 1)]
    [InlineData(1 << 30, 1)]
    public void Look_ByHalfOfTheUsualSizeAndFourTimesIt(long bytes, int expected)
    {
        LookAt(100, 100);

        Assert.Equal(expected, _usual.Look(bytes));
    }

    [Fact]
    public void Look_FewOfMegabytes_DoNotMakeTheOthersSmall()
    {
        for (int i = 0; i < 10_000; i++)
        {
            Assert.Equal(0, _usual.Look(100));
            if (i % 100 == 0)
                Assert.Equal(1, _usual.Look(100 << 20));
        }
    }

    [Fact]
    public void Look_SizesThatChange_AreUsualAfterAWhile()
    {
        LookAt(100, 2_000);
        Assert.Equal(1, _usual.Look(10_000));
        LookAt(10_000, 5_000);
        Assert.Equal(0, _usual.Look(10_000));
        Assert.Equal(-1, _usual.Look(100));
        LookAt(100, 6_000);
        Assert.Equal(0, _usual.Look(100));
    }

    [Fact]
    public void Look_OfOneWhoseSizeDoesNotCount_SaysNothing()
    {
        Assert.Equal(0, _usual.Look(0));
        LookAt(100, 10);
        for (int i = 0; i < 10_000; i++)
            Assert.Equal(0, _usual.Look(0));

        Assert.Equal(0, _usual.Look(100));
    }

    private List<int> LookAt(long bytes, int times)
    {
        var found = new List<int>();
        for (int i = 0; i < times; i++)
            found.Add(_usual.Look(bytes));
        return found;
    }
}
