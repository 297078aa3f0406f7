using System.Buffers.Binary;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Collections.Trees;

/// <summary>What trees take, and that it goes back.</summary>
public sealed class TreeSpaceTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Positions_PushedAtOneEnd_HaveFullPages(bool atEnd)
    {
        const int Count = 20_000;
        using var tree = new ModelTree<ByPosition>();
        var item = new Element(0, new byte[20], []);
        for (int i = 0; i < Count; i++)
            tree.InsertAt(atEnd ? i : 0, item);

        tree.Check();
        Assert.InRange(tree.Root.PageBytes / (double)Count, 23, 23.6); // 20 + length 1 + offset 2.
    }

    [Fact]
    public void Scores_AddedInOrder_HaveFullPages()
    {
        const int Count = 10_000;
        using var tree = new ModelTree<ByScore>();
        for (int i = 0; i < Count; i++)
            tree.Set(new Element((ulong)i, new byte[20], []));

        Assert.InRange(tree.Root.PageBytes / (double)Count, 31, 32);
    }

    [Fact]
    public void Build_FillsPages()
    {
        const int Count = 10_000;
        using var tree = new ModelTree<ByScore>();
        tree.Build([.. Enumerable.Range(0, Count).Select(static i => new Element((ulong)i, new byte[20], []))]);

        tree.Check();
        Assert.InRange(tree.Root.PageBytes / (double)Count, 31, 31.5);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(131)]
    public void Build_OfAFew_IsAsLongAsTheyAre(int count)
    {
        using var tree = new ModelTree<ByHash>();
        tree.Build([.. Enumerable.Range(0, count).Select(static i => new Element((ulong)i, new byte[10], []))]);

        tree.Check();
        Assert.InRange(tree.Root.PageBytes, 0, 512 + count * 17);
    }

    [Fact]
    public void Remove_OfMost_GivesPagesBack()
    {
        const int Count = 20_000;
        using var tree = new ModelTree<ByHashWithValue>();
        var random = new Random(1);
        for (int i = 0; i < Count; i++)
            tree.Set(new Element((uint)random.NextInt64(uint.MaxValue), BitConverter.GetBytes(i), new byte[20]));
        long before = tree.Root.PageBytes;
        while (tree.Elements.Count > Count / 20)
            tree.RemoveAt(random.Next(tree.Elements.Count));

        tree.Check();
        Assert.InRange(tree.Root.PageBytes, 0, before / 10);
    }

    [Fact]
    public void Evacuation_OfSparseSlabs_GivesThemBack()
    {
        using var tree = new ModelTree<ByHashWithValue>();
        var random = new Random(2);
        // Values grow, so that slabs of short pages are left with a few.
        for (int length = 10; length < 700; length *= 2)
        {
            for (int i = 0; i < 20_000; i++)
            {
                tree.Set(new Element(
                    (ulong)(i * 2654435761L % uint.MaxValue), BitConverter.GetBytes(i), new byte[random.Next(length)]));
            }
        }

        while (tree.Elements.Count > 6_000)
            tree.RemoveAt(random.Next(tree.Elements.Count));
        double before = UsedShare(tree);
        int moved = 0;
        while (tree.Pages.ChooseVictims(0.8, slabsMax: 1_000) != 0 && tree.MoveVictims() is var more and > 0)
            moved += more;

        tree.Pages.ReleaseVictims();
        tree.Check();
        Assert.True(moved > 0);
        Assert.InRange(before, 0, 0.7);
        Assert.InRange(UsedShare(tree), 0.85, 1);
    }

    [Fact]
    public void Snapshot_OfManyPages_KeepsThemUntilItsEnd()
    {
        using var tree = new ModelTree<ByHash>();
        var elements = Enumerable.Range(0, 30_000)
            .Select(static i => new Element((ulong)(i * 2654435761L % uint.MaxValue), BitConverter.GetBytes(i), []))
            .Order().ToList();
        tree.Build(elements);
        long before = tree.Pages.PageBytes;
        Assert.True(tree.TryTakeSnapshot());
        Assert.Equal(TreePage.GrainSize, tree.Pages.PageBytes - before);
        long inTree = tree.Root.PageBytes;
        foreach (var element in elements.Where(static (_, i) => i % 100 != 0))
            tree.Remove(element);
        Assert.True(tree.Pages.PageBytes > inTree, "The snapshot's pages are there.");

        tree.ReleaseSnapshot(0);
        tree.Check();

        Assert.InRange(tree.Root.PageBytes, 1, inTree / 20);
        Assert.Equal(tree.Root.PageBytes, tree.Pages.PageBytes);
    }

    [Fact]
    public void Snapshot_WithoutAChangeSinceTheLast_NeedsNoNewEpoch()
    {
        using var tree = new ModelTree<ByHash>();
        tree.Set(new Element(1, [1], []));
        for (int i = 0; i < 10; i++)
            Assert.True(tree.TryTakeSnapshot());
        Assert.Equal(1u, tree.Epoch);

        tree.Set(new Element(2, [2], []));
        Assert.True(tree.TryTakeSnapshot());
        Assert.Equal(2u, tree.Epoch);
        tree.Set(new Element(3, [3], []));
        tree.Check();
    }

    [Fact]
    public void Graveyard_FreesBoundedSteps()
    {
        using var tree = new ModelTree<ByHash>();
        tree.Build([.. Enumerable.Range(0, 200_000).Select(static i =>
            new Element((ulong)i * 20_000, BitConverter.GetBytes(i), []))]);
        int height = tree.Root.Page == 0 ? 0 : tree.Pages.Addresses[tree.Root.Page].Level + 1;
        Assert.Equal(3, height);
        tree.Bury();
        Assert.Equal(1, tree.Graveyard.Count);

        long before = tree.Pages.Audit();
        for (bool more = true; more;)
        {
            more = tree.Graveyard.Step();
            long now = tree.Pages.Audit();
            Assert.InRange(before - now, 1, TreeGraveyard.StepPages + height);
            before = now;
        }

        Assert.Equal(0, before);
        Assert.Equal(0, tree.Graveyard.Count);
    }

    [Fact]
    public void Graveyard_ReleasesEveryStubOnce()
    {
        using var tree = new ModelTree<ByHashWithValue>();
        var expected = new List<string>();
        for (int i = 0; i < 5_000; i++)
        {
            var element = new Element(
                (ulong)i * 800_000, BitConverter.GetBytes((long)i), BitConverter.GetBytes(-(long)i), i % 7 == 0,
                i % 5 == 0);
            tree.Set(element);
            if (element.IsNameStub)
                expected.Add(Convert.ToHexString(element.NameStubBytes));
            if (element.IsValueStub)
                expected.Add(Convert.ToHexString(element.Value));
        }

        tree.Bury();
        tree.Check();

        Assert.Equal(expected.Distinct().Order(), tree.Stubs.Released.Order());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Set_OfLongMembersOfOneScore_KeepsInnerPagesFull(bool descends)
    {
        const int Count = 60_000;
        using var pages = new TreePages(1 << 30, 1 << 30, SlabBudget.Unlimited, 0, hugePages: false);
        TreeRoot root = default;
        TreeEpochs epochs = default;
        byte[] name = new byte[TreeEntry.LengthMax];
        for (int i = 0; i < Count; i++)
        {
            BinaryPrimitives.WriteInt32BigEndian(name.AsSpan(name.Length - 4), descends ? Count - i : i);
            var change = new TreeWriter<ByScore>(pages, ref root, ref epochs, 1).Set(0, new TreeEntry(name, default));
            Assert.Equal(TreeChange.Added, change);
        }

        new TreeAudit<ByScore>(pages).Check(in root);
        Assert.InRange(pages.Addresses[root.Page].Level, 8, 10); // Three children a page; with two it were 14.
    }

    private static double UsedShare<TOrder>(ModelTree<TOrder> tree)
        where TOrder : struct, ITreeOrder => tree.Pages.PageBytes / (double)tree.Pages.UsedBytes;
}
