using System.Text;
using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Format;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Collections are in snapshot and journal as they are stored, with their type.</summary>
public sealed class StoreCollectionTests
{
    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Start_AfterHashesWereWritten_HasThem(bool isSaved)
    {
        using var rig = new StoreRig(_directory, _clock);
        for (int i = 0; i < 40; i++)
            rig.Store.Hash(Bytes($"hash {i % 4}")).Set(Bytes($"field {i}"), new byte[i * 10]);
        rig.Store.Expire("hash 2"u8, rig.Store.NowMs + 60_000, ExpireConditions.None);
        if (isSaved)
            rig.Durable.Save();
        rig.Store.Hash("hash 0"u8).Remove("field 8"u8);
        rig.Store.Hash("hash 0"u8).Increment("n"u8, 5, out _);
        rig.Store.Rename("hash 1"u8, "name"u8, SetCondition.Always);
        for (int i = 3; i < 40; i += 4)
            rig.Store.Hash("hash 3"u8).Remove(Bytes($"field {i}"));
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);

        Assert.Equal(3, after.Store.Count);
        Assert.Equal(10, after.Store.Hash("hash 0"u8).Count);
        Assert.Equal("5"u8, after.Store.Hash("hash 0"u8).GetArray("n"u8)!);
        Assert.Null(after.Store.Hash("hash 0"u8).GetArray("field 8"u8));
        Assert.Equal(new byte[370], after.Store.Hash("name"u8).GetArray("field 37"u8)!);
        Assert.True(after.Store.TryPeekInfo("hash 2"u8, out var info));
        Assert.Equal((EntryKind.Hash, rig.Store.NowMs + 60_000), (info.Kind, info.ExpiresAtUnixMs));
        AssertSame(rig.Store, after.Store);
    }

    [Fact]
    public void Apply_ADamagedOrUnknownCollection_IsRefused()
    {
        using var store = StoreRig.Create(_clock);
        var expiry = new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds());
        var inserter = new RecordInserter([store], expiry);

        Assert.Equal("has a damaged value of type 1", Apply(inserter, RecordKind.Set, type: 1, [2, 0, 0]));
        Assert.Equal("has a damaged value of type 3", Apply(inserter, RecordKind.Set, type: 3, [0, 0]));
        Assert.Equal(
            "is of type 6 and codec 0, which a newer version writes", Apply(inserter, RecordKind.Set, type: 6, [0, 0]));
        Assert.Equal(
            "changes a part of a value of type 1", Apply(inserter, RecordKind.Patch, type: 1, [1]));
        Assert.Equal("", Apply(inserter, RecordKind.Set, type: 2, [1, 0, 1, (byte)'a']));
        Assert.Equal((1, EntryKind.List), (store.Count, store.KindOf("k"u8)));
    }

    private static string Apply(RecordInserter inserter, RecordKind kind, byte type, byte[] value) =>
        inserter.Apply(
            new RecordView { Fields = new RecordFields { Kind = kind, Type = type }, Key = "k"u8 }, value);

    private static void AssertSame(CacheStore expected, CacheStore actual)
    {
        foreach (string key in expected.ScanAll(100))
        {
            var fields = new FieldListSink();
            var others = new FieldListSink();
            expected.Hash(Bytes(key)).GetAll(ref fields);
            actual.Hash(Bytes(key)).GetAll(ref others);
            Assert.Equal(fields.Fields, others.Fields);
        }
    }

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);
}
