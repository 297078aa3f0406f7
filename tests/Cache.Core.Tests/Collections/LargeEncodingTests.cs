using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>What is noted of large collections for OBJECT ENCODING.</summary>
public sealed class LargeEncodingTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Hash_OfFewShortFields_IsCompactUntilOneIsLong()
    {
        var hash = Store.Hash("h"u8);
        for (int i = 0; i < 200; i++)
            hash.Set(Bytes($"field {i}"), new byte[60]);
        Assert.Equal((1, false), (Store.State.Objects!.Count, IsConverted("h")));
        Assert.Equal(WriteStatus.Done, Store.Copy("h"u8, Store, "copy"u8, SetCondition.Always));
        hash.Set("long"u8, new byte[65]);
        Assert.Equal((true, false), (IsConverted("h"), IsConverted("copy")));
        hash.Remove("long"u8);
        Assert.True(IsConverted("h"));
        Store.Copy("h"u8, Store, "copy"u8, SetCondition.Always);
        Assert.True(IsConverted("copy"));
        Store.AssertValid();
    }

    [Theory]
    [InlineData(512, false)]
    [InlineData(513, true)]
    public void Hash_OfManyFields_IsConvertedByTheirNumber(int count, bool isConverted)
    {
        var hash = Store.Hash("h"u8);
        for (int i = 0; i < count; i++)
            hash.Set(Bytes($"field {i}"), "value"u8);
        Assert.Equal(isConverted, IsConverted("h"));
    }

    [Fact]
    public void Set_OfIntegers_IsCompactUntilOneIsNone()
    {
        var set = Store.SetOf("s"u8);
        for (int i = 0; i < 512; i++)
            set.Add(Bytes($"{1_000_000_000_000 + i}"));
        Assert.Equal((1, false), (Store.State.Objects!.Count, IsConverted("s")));
        set.Add("none"u8);
        Assert.True(IsConverted("s"));
        set.Remove("none"u8);
        Assert.True(IsConverted("s"));
    }

    [Fact]
    public void SortedSet_OfFewShortMembers_HasNoNegativeZeroUntilItIsConverted()
    {
        var set = Store.SortedSet("z"u8);
        for (int i = 0; i < 120; i++)
            set.Add(Bytes($"{i:D60}"), i);
        Assert.Equal((1, false), (Store.State.Objects!.Count, IsConverted("z")));
        set.Add("zero"u8, -0.0);
        Assert.True(set.TryGetScore("zero"u8, out double score));
        Assert.False(double.IsNegative(score));
        set.Add(new byte[65], -0.0);
        Assert.True(IsConverted("z"));
        Assert.True(set.TryGetScore(new byte[65], out score));
        Assert.True(double.IsNegative(score));
        Store.AssertValid();
    }

    [Fact]
    public void Collection_ThatWasConvertedWhileItWasSmall_IsSo()
    {
        var hash = Store.Hash("h"u8);
        hash.Set("long"u8, new byte[65]);
        hash.Remove("long"u8);
        hash.Set("long"u8, new byte[65]);
        hash.Set("short"u8, "value"u8);
        hash.Remove("long"u8);
        for (int i = 0; i < 200; i++)
            hash.Set(Bytes($"field {i}"), new byte[60]);
        Assert.True(IsConverted("h"));
    }

    // As in Redis, which adds them one by one to a new one, and knows how many ranks there are.
    [Fact]
    public void StoredRange_HasNoNegativeZeroBeforeItIsConverted()
    {
        var set = Store.SortedSet("z"u8);
        for (int i = 0; i < 200; i++)
            set.Add(Bytes($"{i:D3}"), i < 140 ? i - 200 : -0.0);
        Store.StoreRange("z"u8, SortedSetRange.ByRank(100, 199), "short"u8, out _);
        Store.StoreRange("z"u8, SortedSetRange.ByRank(40, 199), "ranks"u8, out _);
        Store.StoreRange("z"u8, SortedSetRange.ByScore(-160, 0), "scores"u8, out _);
        Assert.Equal((false, true, true), (IsConverted("short"), IsConverted("ranks"), IsConverted("scores")));
        Assert.False(IsNegative("short", "180"));
        Assert.True(IsNegative("ranks", "160"));
        Assert.False(IsNegative("scores", "160")); // The 121st.
        Assert.True(IsNegative("scores", "168")); // The 129th.
    }

    [Fact]
    public void AddMany_WithAMemberThatConverts_KeepsTheSignsBehindIt()
    {
        var scores = new ScoreArray(("a", -0.0), (new string('x', 5_000), 1), ("b", -0.0));
        Assert.Equal(WriteStatus.Done, Store.SortedSet("z"u8).AddMany(ref scores, ScoreConditions.None, out _, out _));
        Assert.Equal((false, true), (IsNegative("z", "a"), IsNegative("z", "b")));
    }

    private bool IsNegative(string key, string member)
    {
        Assert.True(Store.SortedSet(Bytes(key)).TryGetScore(Bytes(member), out double score));
        return double.IsNegative(score);
    }

    private bool IsConverted(string key)
    {
        Assert.True(Store.TryPeekCollection(Bytes(key), out var info));
        return info.IsConverted;
    }
}
