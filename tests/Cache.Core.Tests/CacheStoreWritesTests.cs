using System.Text;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

public sealed class CacheStoreWritesTests : IDisposable
{
    private readonly StoreFixture _fixture = new(static options => options.ValueLengthMax = 1_000);

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Set_ExistingKey_ReplacesTheValue()
    {
        foreach (string value in new[] { "short", "a longer value than before", "", "x", new('y', 900), "z" })
        {
            Assert.Equal(WriteStatus.Done, _fixture.Set("key", value));
            Assert.Equal(value, _fixture.Get("key"));
            Assert.Equal(1, Store.Count);
        }
    }

    [Theory]
    [InlineData(false, SetCondition.IfAbsent, WriteStatus.Done)]
    [InlineData(true, SetCondition.IfAbsent, WriteStatus.ConditionNotMet)]
    [InlineData(false, SetCondition.IfPresent, WriteStatus.ConditionNotMet)]
    [InlineData(true, SetCondition.IfPresent, WriteStatus.Done)]
    public void Set_Condition_HoldsOrLeavesTheEntry(bool exists, SetCondition condition, WriteStatus expected)
    {
        if (exists)
            _fixture.Set("key", "old");

        var status = _fixture.Set("key", "new", new EntryOptions { Condition = condition });

        Assert.Equal(expected, status);
        Assert.Equal(expected == WriteStatus.Done ? "new" : exists ? "old" : null, _fixture.Get("key"));
    }

    [Fact]
    public void Set_WithPrevious_TakesTheOldValueEvenIfTheConditionFails()
    {
        _fixture.Set("key", "old");
        var onlyIfAbsent = new EntryOptions { Condition = SetCondition.IfAbsent };
        var first = default(ArraySink);
        var second = default(ArraySink);
        var third = default(ArraySink);

        Assert.Equal(WriteStatus.Done, Store.Set("key"u8, "new"u8, default, ref first, out bool existed));
        Assert.True(existed);
        Assert.Equal("old"u8.ToArray(), first.Array);
        Assert.Equal(
            WriteStatus.ConditionNotMet, Store.Set("key"u8, "other"u8, onlyIfAbsent, ref second, out existed));
        Assert.True(existed);
        Assert.Equal("new"u8.ToArray(), second.Array);
        Assert.Equal(WriteStatus.Done, Store.Set("absent"u8, "value"u8, onlyIfAbsent, ref third, out existed));
        Assert.False(existed);
        Assert.Null(third.Array);
    }

    [Fact]
    public void Set_TooLongKeyOrValue_IsRefusedAndChangesNothing()
    {
        _fixture.Set("key", "value");

        Assert.Equal(WriteStatus.KeyTooLong, Store.Set(new byte[CacheStore.KeyLengthMax + 1], "value"u8));
        Assert.Equal(WriteStatus.ValueTooLong, Store.Set("key"u8, new byte[1_001]));
        Assert.Equal(WriteStatus.Done, Store.Set("longest"u8, new byte[1_000]));
        Assert.Equal("value", _fixture.Get("key"));
        Assert.Equal(2, Store.Count);
    }

    [Fact]
    public void Set_NegativeSlidingInterval_Throws()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _fixture.Set("key", "value", Sliding(-1)));
        Assert.Null(_fixture.Get("key"));
    }

    [Fact]
    public void SetIfUnchanged_VersionOfTheEntry_WritesOnce()
    {
        _fixture.Set("key", "old");
        var version = _fixture.Peek("key")!.Value.Version;

        Assert.Equal(WriteStatus.Done, Store.SetIfUnchanged("key"u8, "new"u8, default, version));
        Assert.Equal(WriteStatus.ConditionNotMet, Store.SetIfUnchanged("key"u8, "late"u8, default, version));
        Assert.Equal("new", _fixture.Get("key"));
    }

    [Fact]
    public void SetIfUnchanged_VersionOfAbsence_WritesOnlyWhileAbsent()
    {
        Store.TryPeekInfo("key"u8, out var absent);

        Assert.Equal(WriteStatus.Done, Store.SetIfUnchanged("key"u8, "first"u8, default, absent.Version));
        Assert.Equal(WriteStatus.ConditionNotMet, Store.SetIfUnchanged("key"u8, "late"u8, default, absent.Version));
        Store.Remove("key"u8);
        Assert.Equal(WriteStatus.ConditionNotMet, Store.SetIfUnchanged("key"u8, "later"u8, default, absent.Version));
        Assert.Null(_fixture.Get("key"));
    }

    public static TheoryData<string, Action<CacheStore>> Changes => new()
    {
        { "Set", static store => store.Set("key"u8, "1"u8) },
        { "Remove", static store => store.Remove("key"u8) },
        { "Append", static store => store.Append("key"u8, "1"u8, out _) },
        { "SetRange", static store => store.SetRange("key"u8, 0, "1"u8, out _) },
        { "Increment", static store => store.Increment("key"u8, 0, out _) },
        { "Expire", static store => store.Expire("key"u8, store.NowMs + 1_000, ExpireConditions.None) },
        { "Rename", static store => store.Rename("key"u8, "other"u8, SetCondition.Always) },
        { "Adopt", static store => store.Copy("other"u8, store, "key"u8, SetCondition.Always) },
        { "Clear", static store => store.Clear() },
        { "RemoveAndSet", static store => { store.Remove("key"u8); store.Set("key"u8, "1"u8); } },
    };

    [Theory]
    [MemberData(nameof(Changes), DisableDiscoveryEnumeration = true)]
    public void Version_AnyChangeOfTheKey_Differs(string name, Action<CacheStore> change)
    {
        _fixture.Set("other", "1");
        _fixture.Set("key", "1");
        Store.TryPeekInfo("key"u8, out var before);

        change(Store);

        Store.TryPeekInfo("key"u8, out var after);
        Assert.True(before.Version != after.Version, name);
    }

    [Fact]
    public void Version_ReadsAlone_StaysTheSame()
    {
        _fixture.Set("key", "1");
        var version = _fixture.Peek("key")!.Value.Version;

        for (int i = 0; i < 10; i++)
            _fixture.Get("key");

        Assert.Equal(version, _fixture.Peek("key")!.Value.Version);
    }

    [Theory]
    [InlineData(null, 0, "abc", "abc")]
    [InlineData(null, 2, "abc", "\0\0abc")]
    [InlineData("12345", 1, "abc", "1abc5")]
    [InlineData("12345", 4, "abc", "1234abc")]
    [InlineData("12345", 7, "abc", "12345\0\0abc")]
    [InlineData("12345", 3, "", "12345")]
    public void SetRange_AnyOffset_OverwritesAndGrowsWithZeros(string? before, int offset, string value, string after)
    {
        if (before is not null)
            _fixture.Set("key", before);

        Assert.Equal(WriteStatus.Done, Store.SetRange("key"u8, offset, Bytes(value), out int length));

        Assert.Equal(after, _fixture.Get("key"));
        Assert.Equal(after.Length, length);
    }

    [Fact]
    public void SetRange_BehindAValueThatWasLonger_FillsWithZeros()
    {
        _fixture.Set("key", new string('x', 100));
        _fixture.Set("key", new string('y', 90));

        Store.SetRange("key"u8, 96, "z"u8, out _);

        Assert.Equal(new string('y', 90) + "\0\0\0\0\0\0z", _fixture.Get("key"));
    }

    [Fact]
    public void SetRange_BeyondTheLongestValue_IsRefused()
    {
        _fixture.Set("key", "value");

        Assert.Equal(WriteStatus.ValueTooLong, Store.SetRange("key"u8, 999, "ab"u8, out int length));
        Assert.Equal(5, length);
        Assert.Equal(WriteStatus.ValueTooLong, Store.SetRange("key"u8, int.MaxValue, "ab"u8, out _));
        Assert.Equal("value", _fixture.Get("key"));
        Assert.Throws<ArgumentOutOfRangeException>(() => Store.SetRange("key"u8, -1, "a"u8, out _));
    }

    [Fact]
    public void Append_AgainAndAgain_GrowsTheValue()
    {
        var expected = new StringBuilder();
        for (int i = 0; expected.Length < 900; i++)
        {
            expected.Append(i);
            Assert.Equal(WriteStatus.Done, Store.Append("key"u8, Bytes($"{i}"), out int length));
            Assert.Equal(expected.Length, length);
        }

        Assert.Equal(expected.ToString(), _fixture.Get("key"));
        Assert.Equal(WriteStatus.ValueTooLong, Store.Append("key"u8, new byte[200], out int refused));
        Assert.Equal(expected.Length, refused);
    }

    [Theory]
    [InlineData(null, 5, 5)]
    [InlineData("10", -3, 7)]
    [InlineData("-9223372036854775808", long.MaxValue, -1)]
    [InlineData("9223372036854775806", 1, long.MaxValue)]
    [InlineData("-1", 1, 0)]
    public void Increment_Integer_AddsToIt(string? before, long delta, long sum)
    {
        if (before is not null)
            _fixture.Set("key", before);

        Assert.Equal(WriteStatus.Done, Store.Increment("key"u8, delta, out long result));

        Assert.Equal(sum, result);
        Assert.Equal($"{sum}", _fixture.Get("key"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("abc")]
    [InlineData(" 1")]
    [InlineData("1 ")]
    [InlineData("+1")]
    [InlineData("01")]
    [InlineData("-0")]
    [InlineData("-")]
    [InlineData("1.0")]
    [InlineData("9223372036854775808")]
    [InlineData("-9223372036854775809")]
    public void Increment_NoCanonicalInteger_IsRefused(string before)
    {
        _fixture.Set("key", before);

        Assert.Equal(WriteStatus.NotAnInteger, Store.Increment("key"u8, 1, out _));
        Assert.Equal(before, _fixture.Get("key"));
    }

    [Theory]
    [InlineData("9223372036854775807", 1)]
    [InlineData("-9223372036854775808", -1)]
    [InlineData("-1", long.MinValue)]
    public void Increment_BeyondSixtyFourBits_IsRefused(string before, long delta)
    {
        _fixture.Set("key", before);

        Assert.Equal(WriteStatus.Overflow, Store.Increment("key"u8, delta, out _));
        Assert.Equal(before, _fixture.Get("key"));
    }

    [Fact]
    public void Remove_PresentAndAbsentKey_ReportsWhich()
    {
        _fixture.Set("key", "value");

        Assert.True(Store.Remove("key"u8));
        Assert.False(Store.Remove("key"u8));
        Assert.Null(_fixture.Get("key"));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void TryRemove_PresentAndAbsentKey_TakesTheValueOnce()
    {
        _fixture.Set("key", "value");
        var sink = default(ArraySink);
        var second = default(ArraySink);

        Assert.True(Store.TryRemove("key"u8, ref sink));
        Assert.Equal("value"u8.ToArray(), sink.Array);
        Assert.False(Store.TryRemove("key"u8, ref second));
        Assert.Null(second.Array);
    }

    [Fact]
    public void Set_ManyKeys_AreAllThere()
    {
        const int Keys = 50_000;
        for (int i = 0; i < Keys; i++)
            Assert.Equal(WriteStatus.Done, _fixture.Set($"key:{i}", $"value:{i}"));

        Assert.Equal(Keys, Store.Count);
        for (int i = 0; i < Keys; i++)
            Assert.Equal($"value:{i}", _fixture.Get($"key:{i}"));
    }
}
