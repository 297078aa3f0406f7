using Cache.Core.Collections.Trees;
using Cache.Core.Layout;
using Cache.Testing;

namespace Cache.Core.Tests.Collections.Trees;

/// <summary>Every operation against a sorted list; after each one every page is looked at.</summary>
public sealed class TreeModelTests(ITestOutputHelper output)
{
    private const int Rounds = 6;
    private const int Steps = 700;

    [Fact]
    public void Hashes_WithValues_AreAsTheModel() => RandomSeed.Run(this, Run<ByHashWithValue>);

    [Fact]
    public void Hashes_AreAsTheModel() => RandomSeed.Run(this, Run<ByHash>);

    [Fact]
    public void Scores_AreAsTheModel() => RandomSeed.Run(this, Run<ByScore>);

    [Fact]
    public void Numbers_WithValues_AreAsTheModel() => RandomSeed.Run(this, Run<ByNumber>);

    [Fact]
    public void Positions_AreAsTheModel() => RandomSeed.Run(this, Run<ByPosition>);

    private void Run<TOrder>(int seed)
        where TOrder : struct, ITreeOrder
    {
        var random = new Random(seed);
        int height = 0;
        for (int round = 0; round < Rounds; round++)
        {
            using var tree = new ModelTree<TOrder>(random.Next(2) * 4);
            var run = new TreeModelRun<TOrder>(tree, random);
            if (round == 0)
                run.BeginWithMany();
            for (int step = 0; step < Steps; step++)
                run.Step(step);
            run.End();
            height = Math.Max(height, tree.HeightMax);
        }

        output.WriteLine($"The highest tree had {height} levels.");
        Assert.True(height >= 3, "No tree was high.");
    }
}
