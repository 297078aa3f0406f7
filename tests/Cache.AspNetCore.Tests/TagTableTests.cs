using System.Globalization;

namespace Cache.AspNetCore.Tests;

public sealed class TagTableTests
{
    private const int TagsMax = 8;

    private readonly TagTable _table = new(TagsMax);

    [Fact]
    public void IsCurrent_UntilATagIsEvicted()
    {
        long number = _table.Now;
        Assert.True(IsCurrent(number, "a", "b"));
        _table.Evict("c");
        Assert.True(IsCurrent(number, "a", "b"));
        _table.Evict("b");
        Assert.False(IsCurrent(number, "a", "b"));
        Assert.True(IsCurrent(_table.Now, "a", "b"));
    }

    [Fact]
    public void Evict_TheSameTagOften_TakesOnePlace()
    {
        for (int i = 0; i < 10 * TagsMax; i++)
            _table.Evict("a");
        Assert.Equal(1, _table.Count);
    }

    [Fact]
    public void Evict_MoreTagsThanTheTableHolds_ForgetsTheOldestHalf()
    {
        long first = _table.Now;
        for (int i = 0; i < TagsMax; i++)
            _table.Evict(Name(i));
        Assert.Equal(TagsMax, _table.Count);
        Assert.True(IsCurrent(first, "other"));
        long full = _table.Now;
        _table.Evict(Name(TagsMax));
        Assert.InRange(_table.Count, 1, TagsMax / 2);
        Assert.False(IsCurrent(first, "other"));
        Assert.False(IsCurrent(first, Name(0)));
        Assert.True(IsCurrent(full, "other"));
        Assert.True(IsCurrent(full, Name(0)));
        Assert.False(IsCurrent(full, Name(TagsMax)));
    }

    [Fact]
    public void Evict_ATagAgainBeforeTheTableIsFull_IsNotForgotten()
    {
        for (int i = 0; i < TagsMax; i++)
            _table.Evict(Name(i));
        long number = _table.Now;
        _table.Evict(Name(0));
        _table.Evict(Name(TagsMax));
        Assert.True(_table.Count < TagsMax);
        Assert.False(IsCurrent(number, Name(0)));
        Assert.True(IsCurrent(number, Name(1)));
    }

    [Fact]
    public async Task Evict_ByManyThreads_NeverShowsWhatWasEvicted()
    {
        var token = TestContext.Current.CancellationToken;
        await Task.WhenAll(Enumerable.Range(0, 4).Select(thread => Task.Run(() => EvictOften(thread), token)));
        Assert.InRange(_table.Count, 1, TagsMax);
    }

    private void EvictOften(int thread)
    {
        for (int i = 0; i < 20_000; i++)
        {
            string tag = Name(thread + 4 * (i % TagsMax));
            long number = _table.Now;
            _table.Evict(tag);
            Assert.False(IsCurrent(number, tag));
            Assert.True(_table.Now > number);
        }
    }

    private static string Name(int tag) => tag.ToString(CultureInfo.InvariantCulture);

    private bool IsCurrent(long number, params string[] tags)
    {
        var list = new byte[TagList.SizeOf(tags)];
        TagList.Write(tags, list);
        return _table.IsCurrent(number, new TagList(list));
    }
}
