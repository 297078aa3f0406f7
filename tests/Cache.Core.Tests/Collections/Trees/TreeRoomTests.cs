using Cache.Core.Collections.Trees;
using Cache.Core.Layout;
using Cache.Testing;

namespace Cache.Core.Tests.Collections.Trees;

/// <summary>Writes for which there are a few pages of some lengths, or none: done, or nothing changed.</summary>
public sealed class TreeRoomTests(ITestOutputHelper output)
{
    // So many, and more until there were enough of both outcomes.
    private const int Steps = 150;
    private const int StepsMax = 10 * Steps;
    private const int OutcomesMin = 21;
    private const int Tries = 4;

    [Fact]
    public void Hashes_WithoutRoom_AreUnchanged() => RandomSeed.Run(this, Run<ByHashWithValue>);

    [Fact]
    public void Scores_WithoutRoom_AreUnchanged() => RandomSeed.Run(this, Run<ByScore>);

    [Fact]
    [PinnedSeeds(2074736132)] // 20 were refused in the first 150 steps.
    public void Positions_WithoutRoom_AreUnchanged() => RandomSeed.Run(this, Run<ByPosition>);

    [Fact]
    public void Builder_WithoutRoom_GivesBackWhatItHas()
    {
        using var tree = new ModelTree<ByScore>();
        tree.LimitBytes = 2 * TreePages.SlabBytes;
        var builder = new TreeBuilder<ByScore>(tree.Pages, 1);
        uint added = 0;
        while (builder.TryAdd(added, new TreeEntry(new byte[500], default)))
            added++;

        Assert.Equal(added, builder.Count);
        Assert.False(builder.TryAdd(added, new TreeEntry(new byte[500], default)));
        builder.Abandon(tree.Graveyard);
        tree.Check();
        Assert.Equal((0, 0), (tree.Pages.UsedBytes, tree.Pages.PageBytes));
    }

    [Fact]
    public void Remove_UnderASnapshot_MayOverdraw()
    {
        using var tree = new ModelTree<ByHash>();
        for (int i = 0; i < 2_000; i++)
            tree.Set(new Element((uint)i << 16, new byte[100], []));
        tree.TryTakeSnapshot();
        var held = HoldAllBut(tree, 0, new Random(1));
        Assert.Equal(TreeChange.NoRoom, tree.RemoveAt(5));

        tree.OverdraftBytes = 2 * TreePages.SlabBytes;

        Assert.Equal(TreeChange.NoRoom, tree.Set(new Element(7, new byte[100], [])));
        Assert.Equal(TreeChange.Removed, tree.RemoveAt(5));
        held.ForEach(tree.Pages.Give);
        tree.Check();
    }

    [Fact]
    public void Write_AfterOneThatThrew_BeginsAnew()
    {
        int asked = 0;
        var budget = new SlabBudget(
            (_, _) => asked++ > 0 ? true : throw new InvalidOperationException("The first one."), static _ => { });
        using var pages = new TreePages(1 << 20, 1 << 20, budget, 0, hugePages: false);
        TreeRoot root = default;
        TreeEpochs epochs = default;
        byte[] name = new byte[1_000];
        Assert.Throws<InvalidOperationException>(
            () => new TreeWriter<ByHash>(pages, ref root, ref epochs, 1).Set(1, new TreeEntry(name, default)));

        var change = new TreeWriter<ByHash>(pages, ref root, ref epochs, 1).Set(1, new TreeEntry("a"u8, default));

        Assert.Equal(TreeChange.Added, change);
        new TreeAudit<ByHash>(pages).Check(in root);
        Assert.Equal(1, pages.Audit());
    }

    private void Run<TOrder>(int seed)
        where TOrder : struct, ITreeOrder
    {
        var random = new Random(seed);
        using var tree = new ModelTree<TOrder>();
        // Long elements, so that each few of them split a page.
        var run = new TreeModelRun<TOrder>(tree, new Random(seed));
        int refused = 0, done = 0;
        for (int step = 0; step < Steps || (Math.Min(refused, done) < OutcomesMin && step < StepsMax); step++)
        {
            run.Step(step);
            for (int i = 0; i < Tries; i++)
            {
                var held = HoldAllBut(tree, random.Next(5), random);
                string before = tree.Describe();
                if (Change(tree, run, random) == TreeChange.NoRoom)
                {
                    refused++;
                    Assert.Equal(before, tree.Describe());
                }
                else
                {
                    done++;
                }

                held.ForEach(tree.Pages.Give);
                tree.LimitBytes = long.MaxValue;
                tree.Check();
            }
        }

        run.End();
        output.WriteLine($"{refused} refused, {done} done");
        Assert.True(refused >= OutcomesMin, $"Only {refused} were refused.");
        Assert.True(done >= OutcomesMin, $"Only {done} were done.");
    }

    private static TreeChange Change<TOrder>(ModelTree<TOrder> tree, TreeModelRun<TOrder> run, Random random)
        where TOrder : struct, ITreeOrder
    {
        var element = run.NextElement();
        int count = tree.Elements.Count;
        if (random.Next(20) == 0)
            return tree.TryTakeSnapshot() ? TreeChange.Added : TreeChange.NoRoom;
        if (count > 0 && random.Next(3) == 0)
            return tree.RemoveAt(random.Next(count));
        if (TOrder.KeySize != 0)
            return tree.Set(element);
        return count > 0 && random.Next(2) == 0
            ? tree.SetAt(random.Next(count), element)
            : tree.InsertAt(random.Next(count + 1), element);
    }

    // Takes every page that there is, and gives a few of any length back.
    private static List<uint> HoldAllBut<TOrder>(ModelTree<TOrder> tree, int left, Random random)
        where TOrder : struct, ITreeOrder
    {
        tree.LimitBytes = tree.Pages.UsedBytes + random.Next(2) * TreePages.SlabBytes;
        var held = new List<uint>();
        foreach (int grains in Enumerable.Range(1, TreePage.GrainsMax).OrderBy(_ => random.Next()))
        {
            while (tree.Pages.TryTake(grains, out uint page))
                held.Add(page);
        }

        for (; left > 0 && held.Count > 1; left--)
        {
            int index = random.Next(held.Count);
            tree.Pages.Give(held[index]);
            held.RemoveAt(index);
        }

        tree.LimitBytes = tree.Pages.UsedBytes;
        return held;
    }
}
