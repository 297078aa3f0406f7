using System.Globalization;
using System.Text;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>New values for entries that exist, by the short way and by the long one behind it.</summary>
public sealed class OverwriteTests : IDisposable
{
    // Pages as full as they are before a split, so that a good part of the entries lies outside of its home.
    private const int Crowd = 390 * 16;
    private const int Batch = 16;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Set_LongerThanValuesMayBe_IsRefusedInPlaceToo()
    {
        using var fixture = new StoreFixture(static options => options.ValueLengthMax = 10);
        Assert.Equal(WriteStatus.Done, fixture.Set("abc", "0123456789"));

        Assert.Equal(WriteStatus.ValueTooLong, fixture.Set("abc", "0123456789012"));

        Assert.Equal("0123456789", fixture.Get("abc"));
    }

    [Fact]
    public void Set_SameLength_NeedsNoMoreMemory()
    {
        Fill(Crowd, "first");
        long before = Store.GetStatistics().MemoryBytes;
        for (int round = 0; round < 50; round++)
            Fill(Crowd, $"again{round % 10}"[..5]);

        Assert.Equal(before, Store.GetStatistics().MemoryBytes);
        AssertAll(Crowd, "again9"[..5]);
    }

    [Theory]
    [InlineData(1, 2)] // In place, with another length.
    [InlineData(8, 900)]
    [InlineData(900, 8)]
    [InlineData(40, 40_000)] // In a block of its own.
    public void Set_AnotherLength_ReplacesEachValue(int lengthBefore, int length)
    {
        const int count = 200;
        Fill(count, new string('a', lengthBefore));

        Fill(count, new string('b', length));

        AssertAll(count, new string('b', length));
    }

    [Fact]
    public void Set_ExpiringEntry_ExpiresNoMore()
    {
        _fixture.Set("key", "before", ExpiringAt(_fixture.NowMs + 10));

        Assert.Equal(WriteStatus.Done, Store.Set("key"u8, "behind"u8));
        _fixture.Clock.Advance(20);

        Assert.Equal("behind", _fixture.Get("key"));
    }

    [Fact]
    public void SetIfUnchanged_OverwrittenSinceItWasRead_IsRefused()
    {
        Fill(Crowd, "before");
        for (int i = 0; i < Crowd; i++)
        {
            byte[] key = KeyOf(i);
            Store.TryPeekInfo(key, out var info);
            Store.Set(key, "middle"u8);

            Assert.Equal(WriteStatus.ConditionNotMet, Store.SetIfUnchanged(key, "behind"u8, default, info.Version));
        }

        AssertAll(Crowd, "middle");
    }

    [Fact]
    public void SetMany_CrowdedPages_ReplacesEachValue()
    {
        Fill(Crowd, "before");

        foreach (string value in (string[])["behind", "much longer than before, and so in another record", "short"])
        {
            for (int i = 0; i < Crowd; i += Batch)
                Assert.Equal(WriteStatus.Done, SetMany(Enumerable.Range(i, Batch).Select(key => (key, value))));
            AssertAll(Crowd, value);
        }
    }

    [Fact]
    public void SetMany_SameKeyManyTimes_KeepsTheLast()
    {
        Fill(1, "before");

        SetMany(Enumerable.Range(0, Batch).Select(i => (0, i % 2 == 0 ? "one" : $"another, longer {i}")));

        Assert.Equal("another, longer 15", _fixture.Get("key:0"));
        Assert.Equal(1, Store.Count);
    }

    [Fact]
    public void SetMany_RandomBatches_AnswersAsADictionary() => RandomSeed.Run(this, seed =>
    {
        using var fixture = new StoreFixture(static options => options.ShardCount = 1);
        var random = new Random(seed);
        var expected = new Dictionary<int, string>();
        for (int round = 0; round < 3_000; round++)
        {
            var entries = Enumerable.Range(0, random.Next(Batch + 2))
                .Select(_ => (random.Next(600), RandomValue(random))).ToArray();
            if (random.Next(8) == 0)
            {
                int expiring = random.Next(600);
                expected[expiring] = "expiring";
                fixture.Store.Set(KeyOf(expiring), "expiring"u8, ExpiringAt(fixture.NowMs + 1_000_000));
            }

            Assert.Equal(WriteStatus.Done, SetMany(fixture.Store, entries));
            foreach (var (key, value) in entries)
                expected[key] = value;
        }

        Assert.Equal(expected.Count, fixture.Store.Count);
        Assert.All(expected, pair => Assert.Equal(pair.Value, Get(fixture.Store, $"key:{pair.Key}")));
    });

    private static string RandomValue(Random random)
    {
        int length = random.Next(40) switch
        {
            0 => random.Next(20_000),
            < 4 => random.Next(300),
            _ => 20 + random.Next(8),
        };
        return string.Create(length, random.Next(), static (value, seed) => value.Fill((char)('a' + seed % 26)));
    }

    private static byte[] KeyOf(int index) =>
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"key:{index}"));

    private static WriteStatus SetMany(CacheStore store, IEnumerable<(int Key, string Value)> entries)
    {
        var source = new EntryArray([.. entries.Select(static entry => (KeyOf(entry.Key), Bytes(entry.Value)))]);
        return store.SetMany(ref source, SetCondition.Always);
    }

    private WriteStatus SetMany(IEnumerable<(int Key, string Value)> entries) => SetMany(Store, entries);

    private void Fill(int count, string value)
    {
        byte[] bytes = Bytes(value);
        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, Store.Set(KeyOf(i), bytes));
    }

    private void AssertAll(int count, string value)
    {
        Assert.Equal(count, Store.Count);
        for (int i = 0; i < count; i++)
            Assert.Equal(value, _fixture.Get($"key:{i}"));
    }
}
