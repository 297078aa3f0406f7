namespace Cache.Core.Tests.Sharding;

/// <summary>Keys that were crafted to collide are spread like any others: the hash has a secret.</summary>
public sealed class FloodTests
{
    private const int PairCount = 15;
    private const int Keys = 1 << PairCount;

    // So many entries at random places fill the pages of two stores almost alike.
    private const double SpreadMax = 1.15;

    [Fact]
    public void Set_KeysOfOneUnkeyedHash_TakeNoMoreThanRandomOnes()
    {
        byte[][] crafted = [.. Enumerable.Range(0, Keys).Select(Craft)];
        var random = new Random(1);
        byte[][] others = [.. Enumerable.Range(0, Keys).Select(i =>
        {
            byte[] key = new byte[2 * PairCount];
            random.NextBytes(key);
            BitConverter.TryWriteBytes(key, i);
            return key;
        })];

        Assert.Single(crafted.Select(UnkeyedHashOf).Distinct());
        Assert.True(others.Select(UnkeyedHashOf).Distinct().Count() > Keys * 99 / 100);
        long craftedBytes = IndexAndRecordsOf(crafted);
        long otherBytes = IndexAndRecordsOf(others);
        Assert.InRange(craftedBytes, otherBytes / SpreadMax, otherBytes * SpreadMax);
    }

    // Keys of one place would split pages until the depth is exhausted, and then evict each other.
    private static long IndexAndRecordsOf(byte[][] keys)
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 64 << 20);
        foreach (byte[] key in keys)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(key, key));
        foreach (byte[] key in keys)
            Assert.Equal(key, fixture.Store.GetArray(key));
        var statistics = fixture.Store.GetStatistics();
        Assert.Equal((Keys, 0), (statistics.Count, statistics.Evictions));
        return statistics.MemoryBytes;
    }

    // "Aa" and "BB" have one hash under h = 31 h + c, and so has any sequence of them.
    private static byte[] Craft(int index)
    {
        byte[] key = new byte[2 * PairCount];
        for (int i = 0; i < PairCount; i++)
            (((index >> i) & 1) == 0 ? "Aa"u8 : "BB"u8).CopyTo(key.AsSpan(2 * i));
        return key;
    }

    private static uint UnkeyedHashOf(byte[] key)
    {
        uint hash = 0;
        foreach (byte character in key)
            hash = unchecked(hash * 31 + character);
        return hash;
    }
}
