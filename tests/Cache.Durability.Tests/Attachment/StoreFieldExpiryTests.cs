using System.Buffers.Binary;
using System.Text;
using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>When fields of hashes expire is in snapshot and journal, as a moment of the wall clock.</summary>
public sealed class StoreFieldExpiryTests
{
    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Fact]
    public void Start_AfterRandomWrites_HasWhatTheStoreHad() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var directory = new FaultyDirectory();
        var clock = new FakeTimeProvider();
        using var rig = new StoreRig(directory, clock);
        for (int i = 0; i < 1_500; i++)
        {
            WriteOne(rig, clock, random);
            rig.Durable.Journal.Write();
        }

        rig.Durable.Journal.Sync(); // Some time has passed: until then the last chunk is held back.
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        using var after = new StoreRig(directory.AfterPowerLoss(random), clock);
        AssertSame(rig.Store, after.Store);
        clock.Advance(2_000); // Both sweeps.
        AssertSame(rig.Store, after.Store);
        Assert.Equal(rig.Store.Count, after.Store.Count);
    });

    [Theory]
    [InlineData(3, true)]
    [InlineData(3, false)]
    [InlineData(500, true)]
    [InlineData(500, false)]
    public void Start_BetweenAMomentAndALaterOne_KeepsTheField(int count, bool isSaved)
    {
        using var rig = new StoreRig(_directory, _clock);
        Fill(rig.Store, count);
        rig.Store.Hash("h"u8).Expire("field 1"u8, rig.Store.NowUnixMs + 1_000);
        rig.Store.Hash("h"u8).Expire("field 2"u8, rig.Store.NowUnixMs + 1_000);
        if (isSaved)
            rig.Durable.Save();
        rig.Store.Hash("h"u8).Expire("field 1"u8, rig.Store.NowUnixMs + 60_000);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        _clock.Advance(5_000);

        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);

        Assert.Equal("value 1"u8, after.Store.Hash("h"u8).GetArray("field 1"u8)!);
        Assert.Null(after.Store.Hash("h"u8).GetArray("field 2"u8));
        Assert.Equal(count - 1, after.Store.Hash("h"u8).Count);
        AssertSame(rig.Store, after.Store);
    }

    [Theory]
    [InlineData(3)]
    [InlineData(500)]
    public void Start_WithAClockThatWasSetBack_BringsNothingBack(int count)
    {
        using var rig = new StoreRig(_directory, _clock);
        Fill(rig.Store, count);
        rig.Store.Hash("h"u8).Expire("field 1"u8, rig.Store.NowUnixMs + 1_000);
        rig.Durable.Save();
        _clock.JumpWallClock(TimeSpan.FromSeconds(10)); // No sweep removes the field, which the journal would have.
        rig.Store.Set("later"u8, "1"u8);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        var clock = new FakeTimeProvider();
        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), clock);

        Assert.Null(after.Store.Hash("h"u8).GetArray("field 1"u8));
        Assert.Equal(count - 1, after.Store.Hash("h"u8).Count);
        after.Store.Hash("h"u8).Expire("field 2"u8, after.Store.NowUnixMs + 5_000); // By the clock as it is now.
        Assert.Equal("value 2"u8, after.Store.Hash("h"u8).GetArray("field 2"u8)!);
        clock.Advance(5_000);
        Assert.Null(after.Store.Hash("h"u8).GetArray("field 2"u8));
    }

    // One that is beyond what a sweep takes at a time, one that has no other field, and one of another keyspace.
    [Fact]
    public void Start_WithAClockThatWasSetBack_RemovesFieldsOfAllHashes()
    {
        using var rig = new StoreRig(_directory, _clock);
        long moment = rig.Store.NowUnixMs + 1_000;
        Fill(rig.Store, 20_000);
        for (int i = 0; i < 20_000; i++)
            rig.Store.Hash("h"u8).Expire(Bytes($"field {i}"), i == 7 ? moment + 60_000 : moment);
        rig.Store.Hash("all"u8).Set("f"u8, "v"u8);
        rig.Store.Hash("all"u8).Expire("f"u8, moment);
        var other = rig.Store.SelectKeyspace(1);
        Fill(other, 3);
        other.Hash("h"u8).Expire("field 1"u8, moment);
        rig.Durable.Save();
        _clock.JumpWallClock(TimeSpan.FromSeconds(10));
        rig.Store.Set("later"u8, "1"u8);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), new FakeTimeProvider());

        Assert.Equal(1, after.Store.Hash("h"u8).Count);
        Assert.Equal("value 7"u8, after.Store.Hash("h"u8).GetArray("field 7"u8)!);
        Assert.False(after.Store.TryPeekInfo("all"u8, out _));
        Assert.Equal(2, after.Store.SelectKeyspace(1).Hash("h"u8).Count);
    }

    // The sweeps of the store run meanwhile.
    [Theory]
    [InlineData(3)]
    [InlineData(500)]
    public void Start_ThatTakesSeconds_KeepsAFieldThatALaterRecordGaveTime(int count)
    {
        using var rig = new StoreRig(_directory, _clock);
        Fill(rig.Store, count);
        rig.Store.Hash("h"u8).Expire("field 1"u8, rig.Store.NowUnixMs + 1_000);
        rig.Durable.Save();
        rig.Store.Hash("h"u8).Expire("field 1"u8, rig.Store.NowUnixMs + 600_000);
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();
        var directory = _directory.AfterPowerLoss(new Random(1));
        var clock = new FakeTimeProvider();
        clock.Advance(5_000);
        directory.Observed = _ => clock.Advance(2_000);

        using var after = new StoreRig(directory, clock, start: new StoreStart { LoadThreads = 1, HasThreads = false });

        directory.Observed = null;
        Assert.Equal("value 1"u8, after.Store.Hash("h"u8).GetArray("field 1"u8)!);
        Assert.Equal(count, after.Store.Hash("h"u8).Count);
    }

    // As BGSAVE begins one, while clients use the store.
    [Theory]
    [InlineData(3)]
    [InlineData(500)]
    public void Start_OfAStoreInUse_WithANewDirectory_LetsNoExpiredFieldComeBack(int count)
    {
        using var store = StoreRig.Create(_clock);
        Fill(store, count);
        store.Hash("h"u8).Expire("field 1"u8, store.NowUnixMs + 1);
        _clock.Advance(2); // No sweep yet.
        int operations = 0;
        _directory.Observed = _ =>
        {
            operations++;
            Assert.Null(store.Hash("h"u8).GetArray("field 1"u8));
            Assert.False(store.IsLoading);
        };

        using var durable = DurableStore.Open(
            store, _directory, new JournalOptions { FileBytes = 8 << 20, Chunks = 8 },
            new StoreStart { IsNew = true, HasThreads = false });

        Assert.NotEqual(0, operations);
    }

    [Fact]
    public void Apply_AMomentThatIsNone_IsRefused()
    {
        using var store = StoreRig.Create(_clock);
        var inserter = new RecordInserter([store], new LoadedExpiry(_clock.GetUtcNow().ToUnixTimeMilliseconds()));
        store.Hash("k"u8).Set("f"u8, "1"u8);
        byte[] moment = new byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(moment, HashKey.LastExpiryUnixMs);

        Assert.Equal("", Apply(inserter, type: 1, moment));
        Assert.Equal(ReadStatus.Found, store.Hash("k"u8).GetExpiry("f"u8, out long unixMs));
        Assert.Equal(HashKey.LastExpiryUnixMs, unixMs);
        Assert.Equal("has a damaged value of type 3", Apply(inserter, type: 3, moment));
        Assert.Equal("has a damaged value of type 1", Apply(inserter, type: 1, moment[1..]));
        BinaryPrimitives.WriteInt64LittleEndian(moment, HashKey.LastExpiryUnixMs + 1);
        Assert.Equal("has a damaged value of type 1", Apply(inserter, type: 1, moment));
        BinaryPrimitives.WriteInt64LittleEndian(moment, -1);
        Assert.Equal("has a damaged value of type 1", Apply(inserter, type: 1, moment));
    }

    private static string Apply(RecordInserter inserter, byte type, byte[] moment)
    {
        byte[] changes = [5, 1, 0, 0, 0, (byte)moment.Length, 0, 0, 0, (byte)'f', .. moment];
        var fields = new RecordFields { Kind = RecordKind.Elements, Type = type };
        return inserter.Apply(new RecordView { Fields = fields, Key = "k"u8 }, changes);
    }

    private static void WriteOne(StoreRig rig, FakeTimeProvider clock, Random random)
    {
        int number = random.Next(4);
        byte[] key = Bytes($"hash {number}");
        var hash = rig.Store.Hash(key);
        byte[] field = Bytes($"field {random.Next(number < 2 ? 12 : 300)}");
        long moment = rig.Store.NowUnixMs + random.Next(1, 4_000);
        var fields = new KeyArray(field, Bytes("field 1"));
        var values = new ValueListSink();
        switch (random.Next(1_000))
        {
            case < 450:
                hash.Set(field, new byte[random.Next(random.Next(40) == 0 ? 3_000 : 40)]);
                break;
            case < 700:
                hash.Expire(field, moment);
                break;
            case < 750:
                hash.Persist(field);
                break;
            case < 800:
                hash.GetAndExpire(ref fields, moment, ref values);
                break;
            case < 830:
                hash.GetAndRemove(ref fields, ref values);
                break;
            case < 930:
                var pairs = new EntryArray([.. Enumerable.Range(0, random.Next(1, 90)).Select(
                    _ => (Bytes($"field {random.Next(number < 2 ? 12 : 300)}"), new byte[random.Next(30)]))]);
                hash.SetMany(ref pairs, new FieldOptions { ExpiresAtUnixMs = moment });
                break;
            case < 960:
                hash.Increment("n"u8, 1, out _);
                hash.Expire("n"u8, moment);
                break;
            case < 965:
                rig.Store.Remove(key);
                break;
            case < 970:
                rig.Durable.Save();
                break;
            default:
                clock.Advance(random.Next(300));
                break;
        }
    }

    private static void Fill(CacheStore store, int count)
    {
        for (int i = 0; i < count; i++)
            store.Hash("h"u8).Set(Bytes($"field {i}"), Bytes($"value {i}"));
    }

    private static void AssertSame(CacheStore expected, CacheStore actual)
    {
        foreach (string key in new[] { "h", "hash 0", "hash 1", "hash 2", "hash 3" })
        {
            var before = new FieldListSink();
            var after = new FieldListSink();
            Assert.Equal(expected.Hash(Bytes(key)).GetAll(ref before), actual.Hash(Bytes(key)).GetAll(ref after));
            Assert.Equal(before.Fields.Order(), after.Fields.Order());
            foreach (var (field, _) in before.Fields)
            {
                expected.Hash(Bytes(key)).GetExpiry(Bytes(field), out long moment);
                Assert.Equal(ReadStatus.Found, actual.Hash(Bytes(key)).GetExpiry(Bytes(field), out long loaded));
                Assert.Equal(moment, loaded);
            }
        }
    }

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);
}
