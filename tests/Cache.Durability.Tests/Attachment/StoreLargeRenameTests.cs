using System.Text;
using Cache.Core;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Large collections get other keys beside a journal, which is told of the whole of them.</summary>
public sealed class StoreLargeRenameTests
{
    // One that a journal copies, one that it borrows.
    private const int Short = 400;
    private const int Long = 20_000;

    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Theory]
    [InlineData(EntryKind.Hash, Short)]
    [InlineData(EntryKind.Hash, Long)]
    [InlineData(EntryKind.List, Short)]
    [InlineData(EntryKind.List, Long)]
    [InlineData(EntryKind.Set, Short)]
    [InlineData(EntryKind.Set, Long)]
    [InlineData(EntryKind.SortedSet, Short)]
    [InlineData(EntryKind.SortedSet, Long)]
    public void Start_AfterLargeCollectionsGotOtherKeys_HasThem(EntryKind kind, int count)
    {
        using var rig = new StoreRig(_directory, _clock);
        var store = rig.Store;
        for (int i = 0; i < count; i++)
            Put(store, kind, "a"u8, i);
        store.Expire("a"u8, store.NowMs + 60_000, ExpireConditions.None);
        store.Set("b"u8, "string"u8);
        Assert.Equal(WriteStatus.Done, store.Rename("a"u8, "b"u8, SetCondition.Always));
        Put(store, kind, "b"u8, count);
        Assert.Equal(WriteStatus.Done, store.Copy("b"u8, store, "c"u8, SetCondition.Always));
        Put(store, kind, "c"u8, count + 1);
        Put(store, kind, "b"u8, count + 2);
        Assert.Equal(WriteStatus.Done, store.Copy("b"u8, store, "d"u8, SetCondition.Always));
        Assert.Equal(WriteStatus.Done, store.Move("d"u8, store.SelectKeyspace(1)));
        Put(store.SelectKeyspace(1), kind, "d"u8, count + 3);
        store.AssertValid();
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);

        Assert.Equal(KeyStatus(store), KeyStatus(after.Store));
        Assert.Equal(ElementsOf(store, kind, "b"u8), ElementsOf(after.Store, kind, "b"u8));
        Assert.Equal(ElementsOf(store, kind, "c"u8), ElementsOf(after.Store, kind, "c"u8));
        Assert.Equal(count + 2, ElementsOf(after.Store, kind, "c"u8).Length);
        Assert.Equal(
            ElementsOf(store.SelectKeyspace(1), kind, "d"u8), ElementsOf(after.Store.SelectKeyspace(1), kind, "d"u8));
        Assert.Equal(count + 3, ElementsOf(after.Store.SelectKeyspace(1), kind, "d"u8).Length);
        Assert.True(after.Store.TryPeekInfo("c"u8, out var info));
        Assert.Equal(store.NowMs + 60_000, info.ExpiresAtUnixMs);
        after.Store.AssertValid();
    }

    // Long values are in blocks, and some fields expire on their own.
    [Fact]
    public void Start_AfterAHashWithLongValuesGotAnotherKey_HasThem()
    {
        using var rig = new StoreRig(_directory, _clock);
        for (int i = 0; i < Short; i++)
            rig.Store.Hash("a"u8).Set(Bytes(i), new byte[i % 40 == 0 ? 50_000 : 20]);
        rig.Store.Hash("a"u8).Expire(Bytes(1), rig.Store.NowUnixMs + 60_000);
        rig.Store.Hash("a"u8).Expire(Bytes(40), rig.Store.NowUnixMs + 60_000);
        Assert.Equal(WriteStatus.Done, rig.Store.Copy("a"u8, rig.Store, "c"u8, SetCondition.Always));
        Assert.Equal(WriteStatus.Done, rig.Store.Rename("a"u8, "b"u8, SetCondition.Always));
        rig.Store.AssertValid();
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = new StoreRig(_directory.AfterPowerLoss(new Random(1)), _clock);

        foreach (string key in new[] { "b", "c" })
        {
            var hash = after.Store.Hash(Encoding.ASCII.GetBytes(key));
            Assert.Equal((Short, 50_000), (hash.Count, hash.GetArray(Bytes(40))!.Length));
        }

        _clock.Advance(TimeSpan.FromSeconds(61));
        Assert.Equal(Short - 2, after.Store.Hash("b"u8).Count);
        Assert.Equal(Short - 2, after.Store.Hash("c"u8).Count);
    }

    // What a journal gets of it is outdated each time that it was made, until it is made while both keys are held.
    [Fact]
    public void Rename_OfAHashThatIsAlwaysWritten_IsRecordedWithAllThatWasWritten() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var directory = new FaultyDirectory();
        using var rig = new StoreRig(directory, _clock);
        var store = rig.Store;
        for (int i = 0; i < Long; i++)
            Put(store, EntryKind.Hash, "a"u8, i);
        int isDone = 0;
        var writers = Enumerable.Range(0, 2).Select(thread => Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; Volatile.Read(ref isDone) == 0; i++)
                {
                    byte[] value = BitConverter.GetBytes(i);
                    store.Hash("a"u8).Set([(byte)'a', (byte)thread, (byte)i], value);
                    store.Hash("b"u8).Set([(byte)'b', (byte)thread, (byte)i], value);
                    store.Hash("b"u8).Remove([(byte)'b', (byte)thread, (byte)(i + 9)]);
                }
            },
            TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default)).ToArray();
        for (int i = 0; i < 12; i++)
        {
            var (from, to) = i % 2 == 0 ? ("a", "b") : ("b", "a");
            var status = random.Next(4) == 0
                ? store.Copy(Encoding.ASCII.GetBytes(from), store, Encoding.ASCII.GetBytes(to), SetCondition.Always)
                : store.Rename(Encoding.ASCII.GetBytes(from), Encoding.ASCII.GetBytes(to), SetCondition.Always);
            Assert.Contains(status, new[] { WriteStatus.Done, WriteStatus.NotFound });
            rig.Durable.Journal.Write();
        }

        Volatile.Write(ref isDone, 1);
        Task.WaitAll(writers, TestContext.Current.CancellationToken);
        store.AssertValid();
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = new StoreRig(directory.AfterPowerLoss(random), _clock);

        Assert.Equal(ElementsOf(store, EntryKind.Hash, "a"u8), ElementsOf(after.Store, EntryKind.Hash, "a"u8));
        Assert.Equal(ElementsOf(store, EntryKind.Hash, "b"u8), ElementsOf(after.Store, EntryKind.Hash, "b"u8));
    });

    [Fact]
    public void Rename_WithoutRoomForWhatAJournalGets_IsRefusedAndChangesNothing()
    {
        using var rig = new StoreRig(
            _directory, _clock, configure: static options =>
            {
                options.MemoryLimitBytes = 4 << 20;
                options.Eviction = EvictionPolicy.None;
            });
        var hash = rig.Store.Hash("a"u8);
        int count = 0;
        while (hash.Set(Bytes(count), new byte[200]) == WriteStatus.Done)
        {
            count++;
            rig.Durable.Journal.Write();
        }

        Assert.Equal(WriteStatus.OutOfMemory, rig.Store.Rename("a"u8, "b"u8, SetCondition.Always));
        Assert.Equal((count, 0), (rig.Store.Hash("a"u8).Count, rig.Store.Hash("b"u8).Count));
        rig.Store.AssertValid();
    }

    private static (int Count, bool HasSource, EntryKind Kind) KeyStatus(CacheStore store) =>
        ((int)store.Count, store.Contains("a"u8), store.KindOf("b"u8));

    private static void Put(CacheStore store, EntryKind kind, ReadOnlySpan<byte> key, int number)
    {
        var status = kind switch
        {
            EntryKind.Hash => store.Hash(key).Set(Bytes(number), "some value"u8),
            EntryKind.List => store.List(key).Push(number % 3 == 0 ? ListEnd.Left : ListEnd.Right, Bytes(number)),
            EntryKind.Set => store.SetOf(key).Add(Bytes(number)),
            _ => store.SortedSet(key).Add(Bytes(number), number % 100),
        };
        Assert.Equal(WriteStatus.Done, status);
    }

    private static string[] ElementsOf(CacheStore store, EntryKind kind, ReadOnlySpan<byte> key)
    {
        switch (kind)
        {
            case EntryKind.Hash:
                var fields = new FieldListSink();
                store.Hash(key).GetAll(ref fields);
                return [.. fields.Fields.Select(static field => $"{field}").Order(StringComparer.Ordinal)];
            case EntryKind.List:
                var elements = new ElementListSink();
                store.List(key).GetRange(0, -1, ref elements);
                return [.. elements.Elements];
            case EntryKind.Set:
                var members = new MemberListSink();
                store.SetOf(key).GetAll(ref members);
                return [.. members.Members.Order(StringComparer.Ordinal)];
            default:
                var scores = new ScoredListSink();
                store.SortedSet(key).GetRange(SortedSetRange.All, ref scores);
                return [.. scores.Members.Select(static member => $"{member}")];
        }
    }

    private static byte[] Bytes(int number) => Encoding.ASCII.GetBytes($"element {number}");
}
