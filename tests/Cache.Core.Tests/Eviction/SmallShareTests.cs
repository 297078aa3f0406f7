using Cache.Core.Eviction;

namespace Cache.Core.Tests.Eviction;

public class SmallShareTests
{
    private readonly SmallShare _share = new();

    [Fact]
    public void Value_OfNothingLearnt_IsTheLeast() => Assert.Equal(SmallShare.Least, _share.Value);

    [Fact]
    public void Learn_KeysOfTheSmallListThatComeBack_MakesItLargerUpToABound()
    {
        _share.Learn(wasInMain: false, size: 0.01);
        double once = _share.Value;
        for (int i = 0; i < 1000; i++)
            _share.Learn(wasInMain: false, size: 0.01);

        Assert.InRange(once, SmallShare.Least + 0.01, SmallShare.Most);
        Assert.Equal(SmallShare.Most, _share.Value);
    }

    [Fact]
    public void Learn_AfterAChoice_ChangesNothing()
    {
        _share.Choose(0.02);
        _share.Learn(wasInMain: false, size: 0.01);

        Assert.Equal(0.02, _share.Value);
        _share.Choose(0.6);
        Assert.Equal(0.6, _share.Value);
    }

    [Fact]
    public void Learn_AsManyKeysOfMain_TakesItAllBack()
    {
        for (int i = 0; i < 5; i++)
            _share.Learn(wasInMain: false, size: 0.01);
        for (int i = 0; i < 5; i++)
            _share.Learn(wasInMain: true, size: 0.01);

        Assert.Equal(SmallShare.Least, _share.Value);
    }
}
