using Cache.Core.Collections.Packed;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Fields of hashes that expire on their own, of small and of large ones.</summary>
public sealed class FieldExpiryTests : IDisposable
{
    private const int Many = 1_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private HashKey Hash => Store.Hash("h"u8);

    private long Now => Store.NowUnixMs;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(12, 300, 20_000)]
    [InlineData(60, 300, 20_000)]
    [InlineData(600, 3_000, 20_000)]
    [InlineData(40, 20_000, 6_000)]
    public void RandomOperations_AreThoseOfDictionaries(int fields, int valueMax, int operations)
    {
        int seed = Random.Shared.Next();
        TestContext.Current.TestOutputHelper!.WriteLine($"seed {seed}");
        new FieldExpiryModel(_fixture, new Random(seed), fields, valueMax).Run(operations);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(Many)]
    public void Expire_OfAField_HidesItFromAllReads(int count)
    {
        LargeHashTests.Fill(Store, "h", count);
        Assert.Equal(WriteStatus.Done, Hash.Expire("field 1"u8, Now + 1_000));
        Assert.Equal((count, "value 1"), (Hash.Count, Text("field 1")));
        Store.State.Fields.Release(Now + 1_000); // Without a sweep.

        Assert.Equal(count - 1, Hash.Count);
        Assert.Null(Text("field 1"));
        Assert.False(Hash.Contains("field 1"u8));
        Assert.Equal(ReadStatus.NotFound, Hash.GetExpiry("field 1"u8, out _));
        var fields = new KeyArray(Bytes("field 0"), Bytes("field 1"));
        var values = new ValueListSink();
        Hash.GetMany(ref fields, ref values);
        Assert.Equal([Bytes("value 0"), null], values.Values);
        Assert.Equal(WriteStatus.NotFound, Hash.Remove("field 1"u8));
        Assert.Equal(WriteStatus.NotFound, Hash.Expire("field 1"u8, Now + 5_000));
        Assert.Equal(WriteStatus.Done, Hash.Set("field 1"u8, "2"u8, SetCondition.IfAbsent, out bool isNew));
        Assert.True(isNew);
        Assert.Equal(ReadStatus.Found, Hash.GetExpiry("field 1"u8, out long moment));
        Assert.Equal(0, moment);
    }

    [Theory]
    [InlineData(3)]
    [InlineData(Many)]
    public void Sweep_RemovesExpiredFields_AndTheKeyWithTheLast(int count)
    {
        LargeHashTests.Fill(Store, "h", count);
        Expire("h", Enumerable.Range(0, count - 1), Now + 500);
        Store.TryPeekInfo("h"u8, out var before);
        Advance(1_000);

        Assert.True(Store.TryPeekCollection("h"u8, out var info));
        Assert.Equal((1, 0), (info.Count, info.ExpiringCount)); // Not only hidden.
        Store.TryPeekInfo("h"u8, out var after);
        Assert.True(after.MemoryBytes <= before.MemoryBytes);
        Expire("h", [count - 1], Now + 500);
        Advance(1_000);
        Assert.False(Store.Contains("h"u8));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void Sweep_OfAHashThatWasMovedCopiedAndGrown_StillRemoves()
    {
        LargeHashTests.Fill(Store, "h", 3);
        Expire("h", [0, 1], Now + 500);
        Assert.Equal(WriteStatus.Done, Store.Copy("h"u8, Store, "copy"u8, SetCondition.Always));
        LargeHashTests.Fill(Store, "copy", 1); // Its field 0 expires no more.
        Assert.Equal(WriteStatus.Done, Store.Rename("h"u8, "other"u8, SetCondition.Always));
        for (int i = 100; i < Many; i++)
            Store.Hash("other"u8).Set(Bytes($"field {i}"), Filled(20, 1)); // Becomes a large one.
        Assert.Equal(1, Store.State.Objects!.Count);
        Assert.Equal(ReadStatus.Found, Store.Hash("other"u8).GetExpiry("field 1"u8, out long moment));
        Assert.Equal(Now + 500, moment);
        Assert.Equal(WriteStatus.Done, Store.Copy("other"u8, Store, "large"u8, SetCondition.Always));
        Advance(1_000);

        Assert.True(Store.TryPeekCollection("copy"u8, out var copy));
        Assert.True(Store.TryPeekCollection("other"u8, out var other));
        Assert.True(Store.TryPeekCollection("large"u8, out var large));
        Assert.Equal((2, Many - 99, Many - 99), (copy.Count, other.Count, large.Count));
    }

    [Fact]
    public void Sweep_OfSegmentsThatWereCompacted_StillRemoves()
    {
        for (int i = 0; i < 30_000; i++)
        {
            var hash = Store.Hash(Bytes($"key {i}"));
            hash.Set("kept"u8, Filled(60, 1));
            hash.Set("expires"u8, Filled(60, 2));
            hash.Expire("expires"u8, Now + 60_000);
        }

        for (int i = 0; i < 40_000; i++)
            Store.Set(Bytes($"text {i}"), Filled(300, 3), default); // Evicts and moves.
        Advance(61_000);
        Advance(1_000);
        for (int i = 0; i < 30_000; i++)
        {
            if (Store.TryPeekCollection(Bytes($"key {i}"), out var info))
                Assert.Equal((1, 0), (info.Count, info.ExpiringCount));
        }
    }

    [Fact]
    public void Sweep_OfMoreFieldsThanASweepTakes_GoesOn()
    {
        const int Count = 20_000;
        LargeHashTests.Fill(Store, "h", Count);
        Expire("h", Enumerable.Range(1, Count - 1), Now + 500);
        for (int i = 0; i < 10; i++)
            Advance(500);
        Assert.True(Store.TryPeekCollection("h"u8, out var info));
        Assert.Equal((1, 0), (info.Count, info.ExpiringCount));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(Many)]
    public void Writes_OfAField_KeepItsExpiryOrNot(int count)
    {
        LargeHashTests.Fill(Store, "h", count);
        long moment = Now + 5_000;
        Hash.Set("n"u8, "1"u8);
        Hash.Expire("n"u8, moment);
        Assert.Equal(WriteStatus.Done, Hash.Increment("n"u8, 4, out _));
        Assert.Equal((moment, "5"), (Moment("n"), Text("n")));
        Assert.Equal(WriteStatus.Done, Hash.Set("n"u8, "7"u8));
        Assert.Equal((0, "7"), (Moment("n"), Text("n")));
        Hash.Expire("n"u8, moment);
        Assert.Equal(WriteStatus.Done, Hash.Persist("n"u8));
        Assert.Equal((0, "7"), (Moment("n"), Text("n")));
        Assert.Equal(WriteStatus.NotFound, Hash.Persist("n"u8));
    }

    [Fact]
    public void Expire_OfLongValues_KeepsTheirBlocks()
    {
        byte[] value = Filled(100_000, 7);
        LargeHashTests.Fill(Store, "h", Many);
        Assert.Equal(WriteStatus.Done, Hash.Set("long"u8, value));
        Assert.Equal(WriteStatus.Done, Hash.Expire("long"u8, Now + 5_000));
        Assert.Equal(value, Hash.GetArray("long"u8));
        Assert.Equal(WriteStatus.Done, Hash.Persist("long"u8));
        Assert.Equal(WriteStatus.Done, Hash.Expire("long"u8, Now + 1_000));
        Store.AssertValid();
        Advance(2_000);
        Assert.Equal(Many, Hash.Count);
        Assert.Equal(0, Store.State.Objects!.LongElements.Bytes);
    }

    [Fact]
    public void HashesWithoutExpiry_HaveNoByteForIt()
    {
        Hash.Set("a"u8, "1"u8);
        var stored = default(ArraySink);
        Store.TryPeekStored("h"u8, ref stored, out _);
        byte[] before = stored.Array!;
        Hash.Expire("a"u8, Now + 1_000);
        Hash.Persist("a"u8);
        Store.TryPeekStored("h"u8, ref stored, out _);
        Assert.Equal(PackedTable.TimedFlag, PackedTable.FlagsOf(stored.Array));
        Assert.Equal(before[2..], stored.Array![2..]);
        Assert.True(PackedCheck.IsWhole(EntryKind.Hash, stored.Array));
    }

    [Fact]
    public void PackedBytes_WithADamagedMoment_AreRefused()
    {
        Hash.Set("a"u8, "1"u8);
        Hash.Expire("a"u8, Now + 1_000);
        var stored = default(ArraySink);
        Store.TryPeekStored("h"u8, ref stored, out _);
        Assert.True(PackedCheck.IsWhole(EntryKind.Hash, stored.Array));
        Assert.False(PackedCheck.IsWhole(EntryKind.SortedSet, stored.Array));
        byte[] late = [.. stored.Array!];
        late[^2] = 0x7F; // The moment's last byte, before the value.
        Assert.False(PackedCheck.IsWhole(EntryKind.Hash, late));
        byte[] unflagged = [.. stored.Array!];
        unflagged[1] &= 0x0F;
        Assert.False(PackedCheck.IsWhole(EntryKind.Hash, unflagged));
    }

    [Fact]
    public void Calls_AllocateNothing()
    {
        LargeHashTests.Fill(Store, "large", Many);
        LargeHashTests.Fill(Store, "h", 5);
        long moment = Now + 1_000_000;
        for (int i = 0; i < 3; i++)
            Round(moment);

        Assert.Equal(0, AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 50; i++)
                Round(moment + i);
        }));
    }

    [Fact]
    public void Moments_OutOfRange_AreRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Store.Hash("h"u8).Expire("a"u8, 0));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => Store.Hash("h"u8).Expire("a"u8, HashKey.LastExpiryUnixMs + 1));
        Hash.Set("a"u8, "1"u8);
        Assert.Equal(WriteStatus.Done, Hash.Expire("a"u8, HashKey.LastExpiryUnixMs));
        Assert.Equal(HashKey.LastExpiryUnixMs, Moment("a"));
        Assert.Equal(WriteStatus.Done, Hash.Expire("a"u8, 1));
        Assert.False(Store.Contains("h"u8));
    }

    [Fact]
    public void Calls_OnAnotherKind_TellSo()
    {
        Store.Set("h"u8, "text"u8, default);
        Span<long> moments = stackalloc long[1];
        var results = new FieldExpiryStatus[1];
        var names = new KeyArray(Bytes("a"));
        var entries = new EntryArray((Bytes("a"), Bytes("1")));
        var sink = new ValueListSink();
        Assert.Equal(ReadStatus.WrongType, Hash.GetExpiries(ref names, moments));
        Assert.Equal(WriteStatus.WrongType, Hash.Expire("a"u8, 1));
        Assert.Equal(WriteStatus.WrongType, Hash.PersistMany(ref names, results));
        Assert.Equal(WriteStatus.WrongType, Hash.GetAndRemove(ref names, ref sink));
        Assert.Equal(WriteStatus.WrongType, Hash.GetAndExpire(ref names, 0, ref sink));
        Assert.Equal(WriteStatus.WrongType, Hash.SetMany(ref entries, default(FieldOptions)));
        Assert.Empty(sink.Values);
    }

    private void Round(long moment)
    {
        Round(Store.Hash("h"u8), moment);
        Round(Store.Hash("large"u8), moment);
    }

    private static void Round(HashKey hash, long moment)
    {
        hash.Expire("field 1"u8, moment);
        hash.GetExpiry("field 1"u8, out _);
        hash.Increment("n"u8, 1, out _);
        hash.Expire("n"u8, moment);
        hash.Persist("field 1"u8);
    }

    private void Expire(string key, IEnumerable<int> fields, long moment)
    {
        var names = new KeyArray([.. fields.Select(i => Bytes($"field {i}"))]);
        var results = new FieldExpiryStatus[names.Count];
        Assert.Equal(
            WriteStatus.Done, Store.Hash(Bytes(key)).ExpireMany(ref names, moment, ExpireConditions.None, results));
        Assert.All(results, result => Assert.Equal(FieldExpiryStatus.Done, result));
    }

    private void Advance(int ms) => _fixture.Clock.Advance(TimeSpan.FromMilliseconds(ms));

    private string? Text(string field) =>
        Hash.GetArray(Bytes(field)) is { } value ? string.Concat(value.Select(b => (char)b)) : null;

    private long Moment(string field)
    {
        Hash.GetExpiry(Bytes(field), out long moment);
        return moment;
    }
}
