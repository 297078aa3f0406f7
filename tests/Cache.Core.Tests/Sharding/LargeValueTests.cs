using Cache.Core.Contracts;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Values and keys around each border of the layout. The fixture proves the store whole at the end.</summary>
public sealed class LargeValueTests
{
    private static readonly byte[] _key = Bytes("key");

    [Theory]
    [InlineData(2_000)]
    [InlineData(2_048)]
    [InlineData(8_192)]
    [InlineData(65_536)]
    [InlineData(1 << 20)]
    [InlineData(4 << 20)]
    public void Set_LengthsAroundABorder_ComeBackAndAreGivenBack(int border)
    {
        using var fixture = new StoreFixture();
        long before = fixture.Store.GetStatistics().MemoryBytes;
        for (int length = border - 12; length <= border + 12; length++)
        {
            byte[] value = Pattern(length);
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(_key, value));
            Assert.Equal(value, fixture.Store.GetArray(_key));
            Assert.Equal(WriteStatus.Done, fixture.Store.Append(_key, "!"u8, out int appended));
            Assert.Equal(length + 1, appended);
            fixture.Store.AssertValid();
        }

        Assert.True(fixture.Store.Remove(_key));
        Assert.InRange(fixture.Store.GetStatistics().MemoryBytes, before, before + (1 << 20));
    }

    // Pages of one value become the next one's, cut to its length.
    [Fact]
    public void SetAndGet_ManyLengthsOverEachOther_KeepEachValue() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 512 << 20);
        var lengths = new int[6];
        for (int i = 0; i < 400; i++)
        {
            int key = random.Next(lengths.Length);
            lengths[key] = random.Next(100_000, 1_500_000);
            Assert.Equal(WriteStatus.Done, fixture.Store.Set([(byte)key], Pattern(lengths[key])));
            int other = random.Next(lengths.Length);
            Assert.Equal(
                lengths[other] == 0 ? null : Pattern(lengths[other]), fixture.Store.GetArray([(byte)other]));
            if (i % 50 == 0)
                fixture.Clock.Advance(100);
        }

        fixture.Store.AssertValid();
    });

    [Fact]
    public void Set_LongestKeys_AreKeptApart()
    {
        using var fixture = new StoreFixture();
        byte[] first = Pattern(CacheStore.KeyLengthMax);
        byte[] second = [.. first[..^1], (byte)~first[^1]];

        Assert.Equal(WriteStatus.Done, fixture.Store.Set(first, "1"u8));
        Assert.Equal(WriteStatus.Done, fixture.Store.Set(second, Pattern(100_000)));
        Assert.Equal(WriteStatus.KeyTooLong, fixture.Store.Set([.. first, 0], "3"u8));

        Assert.Equal("1"u8.ToArray(), fixture.Store.GetArray(first));
        Assert.Equal(Pattern(100_000), fixture.Store.GetArray(second));
        Assert.True(fixture.Store.Remove(first));
        Assert.Equal(1, fixture.Store.Count);
    }

    private static byte[] Pattern(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = (byte)(i * 31 + (i >> 8));
        return bytes;
    }
}
