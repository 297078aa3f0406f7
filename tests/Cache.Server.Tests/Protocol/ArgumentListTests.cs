using Cache.Server.Protocol;

namespace Cache.Server.Tests.Protocol;

public sealed class ArgumentListTests
{
    [Fact]
    public void Add_AnyNumber_KeepsAllInTheirOrder()
    {
        var list = new ArgumentList();
        for (int i = 0; i < 100_000; i++)
        {
            list.Add(new ArgumentRange(i, 2 * i));
            if ((i & (i + 1)) == 0)
                Assert.Equal(new ArgumentRange(i, 2 * i), list.Items[i]);
        }

        Assert.Equal(100_000, list.Items.Length);
        for (int i = 0; i < 100_000; i++)
            Assert.Equal(new ArgumentRange(i, 2 * i), list.Items[i]);
    }

    [Fact]
    public void MemoryBytes_CountsManyArguments_UntilTheyAreForgotten()
    {
        var list = new ArgumentList();
        for (int i = 0; i < 1000; i++)
            list.Add(new ArgumentRange(i, 1));
        Assert.Equal(0, list.MemoryBytes);
        for (int i = 0; i < 19_000; i++)
            list.Add(new ArgumentRange(i, 1));
        Assert.Equal(160_000, list.MemoryBytes);

        list.Clear();
        Assert.Equal((0, 0), (list.MemoryBytes, list.Count));
        list.Add(new ArgumentRange(7, 1));
        Assert.Equal(7, list.Items[0].Offset);
    }
}
