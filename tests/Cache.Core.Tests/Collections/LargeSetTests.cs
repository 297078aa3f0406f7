using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Sets that are too long for a record.</summary>
public sealed class LargeSetTests : IDisposable
{
    private const int Many = 1_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private SetKey Set => Store.SetOf("s"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Add_OfManyMembers_MakesALargeSet()
    {
        Fill(Store, "s", Many);

        Assert.Equal((Many, 1), (Set.Count, Store.State.Objects!.Count));
        Assert.True(Set.Contains("member 7"u8));
        Assert.False(Set.Contains("absent"u8));
        Assert.Equal(WriteStatus.ConditionNotMet, Set.Add("member 7"u8));
        Assert.Equal(EntryKind.Set, Store.KindOf("s"u8));
        Assert.True(Store.TryPeekCollection("s"u8, out var info));
        Assert.Equal((Many, true), (info.Count, info.IsConverted));
    }

    [Fact]
    public void Remove_OfAllMembers_RemovesTheKeyAndItsPages()
    {
        Fill(Store, "s", Many);
        var all = new KeyArray([.. Enumerable.Range(0, Many).Select(static i => Bytes($"member {i}"))]);
        Assert.Equal(WriteStatus.Done, Set.RemoveMany(ref all, out int removed));
        Assert.Equal((Many, false), (removed, Store.Contains("s"u8)));
        AssertNoPages();
    }

    // What it frees, it frees while its caller waits.
    [Fact]
    public void Remove_OfTheKey_LeavesAllButAFewPagesToTheSweep()
    {
        Fill(Store, "s", 20 * Many);
        var objects = Store.State.Objects!;
        objects.Pages.FlushCaches();
        long before = objects.Pages.PageBytes;

        Assert.True(Store.Remove("s"u8));

        objects.Pages.FlushCaches();
        Assert.InRange(before - objects.Pages.PageBytes, 1, before / 8);
        Assert.Equal(1, objects.Graveyard.Count);
        objects.Sweep();
        AssertNoPages();
    }

    [Fact]
    public void Pop_OfMoreThanThereAre_TellsEachAndRemovesTheKey()
    {
        Fill(Store, "s", Many);
        var popped = new MemberListSink();
        Assert.Equal(WriteStatus.Done, Set.Pop(2 * Many, ref popped));
        Assert.Equal((Many, Many), (popped.Count, popped.Members.Distinct().Count()));
        Assert.False(Store.Contains("s"u8));
        Assert.Equal(WriteStatus.NotFound, Set.Pop(1, ref popped));
        AssertNoPages();
    }

    // Each as often as any other, to some deviations.
    [Fact]
    public void GetRandomAndPop_ChooseUniformly()
    {
        Fill(Store, "s", Many);
        int[] single = new int[Many], several = new int[Many], most = new int[Many];
        for (int i = 0; i < 200; i++)
        {
            for (int j = 0; j < 50; j++)
            {
                var one = default(ArraySink);
                Set.GetRandom(ref one);
                Count(single, System.Text.Encoding.Latin1.GetString(one.Array!));
            }

            CountAll(several, 50);
            CountAll(most, Many - 50);
        }

        Assert.All(single, static count => Assert.InRange(count, 0, 35)); // 10 expected.
        Assert.All(several, static count => Assert.InRange(count, 0, 35));
        Assert.All(most, static count => Assert.InRange(200 - count, 0, 35));
        Assert.InRange(single.Count(static count => count == 0), 0, 3);
        Assert.InRange(several.Count(static count => count == 0), 0, 3);
    }

    [Fact]
    public void StoreSets_OfLargeSets_MakesALargeSet()
    {
        Fill(Store, "s", Many);
        Fill(Store, "t", Many / 2);
        Store.SetOf("t"u8).Add("other"u8);
        var keys = new KeyArray(Bytes("s"), Bytes("t"));
        Store.Set("d"u8, "string"u8, new EntryOptions { ExpiresAtMs = Store.NowMs + 1_000 });

        Assert.Equal(WriteStatus.Done, Store.StoreSets(SetCombination.Union, ref keys, "d"u8, out long count));
        Assert.Equal((Many + 1, Many + 1), (count, Store.SetOf("d"u8).Count));
        Assert.True(Store.TryPeekInfo("d"u8, out var info));
        Assert.Equal((EntryKind.Set, 0), (info.Kind, info.ExpiresAtMs));
        Assert.Equal(WriteStatus.Done, Store.StoreSets(SetCombination.Intersection, ref keys, "s"u8, out count));
        Assert.Equal((Many / 2, Many / 2), (count, Set.Count));
        Assert.Equal(WriteStatus.Done, Store.StoreSets(SetCombination.Difference, ref keys, "d"u8, out count));
        Assert.Equal((0, false), (count, Store.Contains("d"u8)));
        Assert.Equal(2, Store.State.Objects!.Count);
        Store.AssertValid();
    }

    // Too long to be read under the locks of its sources.
    [Fact]
    public void StoreSets_OfLongSetsThatAreAlwaysWritten_HasWhatNobodyWrites()
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 64 << 20);
        var store = fixture.Store;
        Fill(store, "s", 40_000);
        Fill(store, "t", 40_000);
        bool isOver = false;
        var writer = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                store.SetOf("s"u8).Add("other"u8);
                store.SetOf("s"u8).Remove("other"u8);
            }
        });
        writer.Start();
        var keys = new KeyArray(Bytes("s"), Bytes("t"));
        var status = store.StoreSets(SetCombination.Union, ref keys, "d"u8, out long count);
        Volatile.Write(ref isOver, true);
        writer.Join();
        Assert.Equal(WriteStatus.Done, status);
        Assert.InRange(count, 40_000, 40_001);
        Assert.Equal(count, store.SetOf("d"u8).Count);
        store.AssertValid();
    }

    [Fact]
    public void Operations_InATransaction_SeeItsWrites()
    {
        Fill(Store, "s", Many);
        KeyedTransaction.Run(Store, [Bytes("s"), Bytes("t")], 4, 400, static store =>
        {
            store.SetOf("s"u8).Add("new"u8);
            Assert.Equal(WriteStatus.Done, store.MoveMember("s"u8, "t"u8, "member 1"u8));
            var keys = new KeyArray(Bytes("s"), Bytes("t"));
            Assert.Equal(WriteStatus.Done, store.StoreSets(SetCombination.Union, ref keys, "t"u8, out long count));
            Assert.Equal(Many + 1, count);
            var popped = new MemberListSink();
            store.SetOf("s"u8).Pop(Many, ref popped);
            Assert.Equal(0, store.SetOf("s"u8).Count);
        });

        Assert.Equal((0, Many + 1), (Set.Count, Store.SetOf("t"u8).Count));
        Store.AssertValid();
    }

    [Fact]
    public void Add_OfAMemberThatNoStoreHolds_IsRefusedAndChangesNothing()
    {
        Fill(Store, "s", Many);
        int longest = Store.State.ValueLengthMax;
        var members = new KeyArray(Bytes("new"), new byte[longest + 1]);
        Assert.Equal(WriteStatus.ValueTooLong, Set.AddMany(ref members, out int added));
        Assert.Equal((0, Many), (added, Set.Count));
        Store.AssertValid();
    }

    [Fact]
    public void Reads_OfALargeSet_AllocateNothing()
    {
        Fill(Store, "s", Many);
        var popped = new NoSink();
        Set.Pop(2, ref popped);
        long bytes = AllocatedBytes.LeastOf(() =>
        {
            var sink = new NoSink();
            for (int i = 0; i < 50; i++)
            {
                Set.Contains("member 7"u8);
                Set.Pop(1, ref sink);
                Set.Add("member 7"u8);
                Set.Remove("member 7"u8);
                _ = Set.Count;
            }
        });
        Assert.Equal(0, bytes);
    }

    [Fact]
    public void AnyOperations_OnSomeLargeSets_AreThoseOfSets() => RandomSeed.Run(this, static seed =>
    {
        using var fixture = new StoreFixture();
        LargeSetModel.Run(fixture, new Random(seed), 12_000);
    });

    internal static void Fill(CacheStore store, string key, int count)
    {
        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, store.SetOf(Bytes(key)).Add(Bytes($"member {i}")));
    }

    private static void Count(int[] counts, string member) => counts[int.Parse(member["member ".Length..])]++;

    private void CountAll(int[] counts, int count)
    {
        var sink = new MemberListSink();
        Set.GetRandom(count, mayRepeat: false, ref sink);
        Assert.Equal(count, sink.Members.Distinct().Count());
        foreach (string member in sink.Members)
            Count(counts, member);
    }

    private void AssertNoPages()
    {
        Store.AssertValid();
        Assert.Equal((0, 0), (Store.State.Objects!.Count, Store.State.Objects!.UsedBytes));
    }

    private struct NoSink : IMemberSink
    {
        public readonly bool IsFull => false;

        public readonly void Begin(long count)
        {
        }

        public readonly void Take(scoped ReadOnlySpan<byte> member)
        {
        }
    }
}
