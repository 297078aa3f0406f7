namespace Cache.Core.Tests.Contracts;

public sealed class CacheOptionsTests
{
    [Fact]
    public void FindProblems_Defaults_FindsNone() => Assert.Empty(new CacheOptions().FindProblems());

    [Theory]
    [InlineData("MemoryLimitBytes", 0, "1048576")]
    [InlineData("MemoryLimitBytes", -1, "1048576")]
    [InlineData("MemoryLimitBytes", CacheOptions.MemoryLimitMin - 1, "1048576")]
    [InlineData("MemoryLimitBytes", long.MaxValue, "1048576")]
    [InlineData("ShardCount", 0, "between 1 and 1024")]
    [InlineData("ShardCount", -2, "between 1 and 1024")]
    [InlineData("ShardCount", 2048, "between 1 and 1024")]
    [InlineData("ShardCount", 3, "power of two")]
    [InlineData("PromotionThreshold", 0, "between 1 and 3")]
    [InlineData("PromotionThreshold", 4, "between 1 and 3")]
    [InlineData("KeyspaceCount", 0, "between 1 and 16")]
    [InlineData("KeyspaceCount", 17, "between 1 and 16")]
    [InlineData("ValueLengthMax", 0, "between 1 and 536870912")]
    [InlineData("ValueLengthMax", CacheStore.ValueLengthMax + 1, "between 1 and 536870912")]
    [InlineData("Eviction", 99, "AllEntries")]
    [InlineData("Compression", 3, "Off, Cold, All")]
    public void FindProblems_OptionOutOfRange_NamesOptionValueAndRange(string option, long value, string range)
    {
        var options = With(option, value);

        string problem = Assert.Single(options.FindProblems());

        Assert.Contains($"CacheOptions.{option} is {value};", problem, StringComparison.Ordinal);
        Assert.Contains(range, problem, StringComparison.Ordinal);
    }

    [Fact]
    public void FindProblems_SeveralOptionsOutOfRange_FindsEach()
    {
        var options = new CacheOptions { ShardCount = 5, KeyspaceCount = 0 };

        Assert.Equal(2, options.FindProblems().Count);
    }

    [Fact]
    public void FindProblems_MemoryLimitAboveTheMachine_NamesWhatItHas()
    {
        var options = new CacheOptions { MemoryLimitBytes = long.MaxValue };

        string machine = CacheOptions.AvailableMemoryBytes.ToString();

        Assert.Contains(machine, Assert.Single(options.FindProblems()), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("MemoryLimitBytes", CacheOptions.MemoryLimitMin)]
    [InlineData("ShardCount", 1)]
    [InlineData("ShardCount", CacheOptions.ShardCountMax)]
    [InlineData("PromotionThreshold", 1)]
    [InlineData("PromotionThreshold", CacheOptions.PromotionThresholdMax)]
    [InlineData("KeyspaceCount", 1)]
    [InlineData("ValueLengthMax", 1)]
    public void CacheStore_OptionAtItsBound_Works(string option, long value)
    {
        using var store = new CacheStore(With(option, value));

        Assert.Equal(WriteStatus.Done, store.Set("key"u8, "v"u8));
        Assert.Equal("v"u8.ToArray(), store.GetArray("key"u8));
    }

    [Fact]
    public void CacheStore_OptionOutOfRange_ThrowsWithTheProblem()
    {
        var failure = Assert.Throws<ArgumentException>(() => new CacheStore(new CacheOptions { ShardCount = 3 }));

        Assert.Equal("CacheOptions.ShardCount is 3; it must be a power of two.", failure.Message);
    }

    [Fact]
    public void CacheStore_OptionsChangedLater_KeepsWhatItWasMadeWith()
    {
        var options = new CacheOptions { MemoryLimitBytes = 2 << 20 };
        using var store = new CacheStore(options);

        options.MemoryLimitBytes = 4 << 20;

        Assert.Equal(2 << 20, store.MemoryLimitBytes);
    }

    private static CacheOptions With(string option, long value)
    {
        var options = new CacheOptions { MemoryLimitBytes = 16 << 20 };
        var property = typeof(CacheOptions).GetProperty(option)!;
        property.SetValue(options, property.PropertyType.IsEnum
            ? Enum.ToObject(property.PropertyType, value)
            : Convert.ChangeType(value, property.PropertyType));
        return options;
    }
}
