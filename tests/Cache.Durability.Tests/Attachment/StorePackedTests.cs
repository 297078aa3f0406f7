using System.Text;
using Cache.Core;
using Cache.Durability.Journaling;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Compressed values are kept as they were written: no other store has the dictionaries.</summary>
public sealed class StorePackedTests
{
    private static readonly string[] _keys = ["saved", "copied", "renamed"];

    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Start_AfterCompressedValuesWereSavedOrMoved_HasThemAsTheyWereWritten(bool isSaved)
    {
        byte[] value = Encoding.Latin1.GetBytes(string.Concat(Enumerable.Repeat("some value ", 20)));
        using var rig = Open(_directory);
        rig.Store.UseDictionary(value);
        foreach (string key in _keys)
        {
            rig.Store.Set(Encoding.Latin1.GetBytes(key), value);
            rig.Store.Compress(Encoding.Latin1.GetBytes(key));
        }

        if (isSaved)
            rig.Durable.Save();
        rig.Store.Copy("copied"u8, rig.Store, "copy"u8, SetCondition.Always);
        rig.Store.Rename("renamed"u8, "name"u8, SetCondition.Always);
        rig.Store.Append("saved"u8, "end"u8, out _);
        Assert.Equal((1, 1), (rig.Store.CodecOf("copy"u8), rig.Store.CodecOf("name"u8)));
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = Open(_directory.AfterPowerLoss(new Random(1)));

        StoreRig.AssertSame(rig.Store, after.Store);
        Assert.Equal(4, after.Store.Count);
        Assert.Equal(value, after.Store.GetArray("copy"u8));
    }

    // Loaded as new entries, a third of them would be evicted before they are compressed.
    [Theory]
    [InlineData(ValueCompression.All)]
    [InlineData(ValueCompression.Cold)]
    [InlineData(ValueCompression.Off)]
    public void Start_OfAFullStore_HasAsManyEntriesAndHitsAsBefore(ValueCompression mode) =>
        RandomSeed.Run(this, seed =>
        {
            var random = new Random(seed);
            using var before = OpenFull(_directory, mode);
            double hitRatio = 0;
            for (int round = 0; round < 8; round++)
                hitRatio = HitRatioOf(before.Store, random);
            Assert.Equal(mode != ValueCompression.Off, before.Store.GetStatistics().CompressedCount > 3_000);
            double count = before.Store.GetStatistics().Count;
            before.Durable.Save();
            before.Durable.Dispose();
            using var after = OpenFull(_directory.AfterKill(), mode);

            Assert.False(after.Store.IsLoading); // From now on the hottest stay plain.
            Assert.InRange(after.Store.GetStatistics().Count, count * 0.99, count * 1.01);
            Assert.InRange(HitRatioOf(after.Store, random), hitRatio - 0.01, 1);
        });

    // The share of hits of a workload of which a tenth of the keys gets two thirds of the requests.
    private double HitRatioOf(CacheStore store, Random random)
    {
        const int Requests = 80_000;
        const int Keys = 160_000;
        int hits = 0;
        for (int i = 0; i < Requests; i++)
        {
            int number = (int)(Keys * Math.Pow(random.NextDouble(), 5));
            byte[] key = Encoding.Latin1.GetBytes($"key:{number}");
            if (store.GetArray(key) is not null)
                hits++;
            else
                store.Set(key, TextOf(number));
        }

        _clock.Advance(200);
        store.AwaitTraining();
        _clock.Advance(200);
        return (double)hits / Requests;
    }

    private static byte[] TextOf(int i) => Encoding.Latin1.GetBytes(
        $"{{\"id\":{i},\"name\":\"customer {i * 7919L % 100_003}\",\"city\":\"Springfield\",\"state\":\"open\","
        + $"\"items\":[{{\"sku\":\"A-{i * 31 % 977}\",\"count\":{i % 7}}},{{\"sku\":\"B-{i * 17 % 991}\"}}]}}");

    private StoreRig OpenFull(FaultyDirectory directory, ValueCompression mode) => new(
        directory, _clock, new JournalOptions { FileBytes = 2 << 20, Chunks = 4 }, hasThreads: true,
        options =>
        {
            options.MemoryLimitBytes = 8 << 20;
            options.KeyspaceCount = 1;
            options.ShardCount = 1;
            options.Compression = mode;
        });

    private StoreRig Open(FaultyDirectory directory) =>
        new(directory, _clock, new JournalOptions { FileBytes = 2 << 20, Chunks = 4 }, hasThreads: false);
}
