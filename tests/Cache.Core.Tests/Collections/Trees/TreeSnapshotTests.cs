using Cache.Core.Collections.Trees;
using Cache.Core.Layout;
using Cache.Testing;

namespace Cache.Core.Tests.Collections.Trees;

/// <summary>Several snapshots, and their ends.</summary>
public sealed class TreeSnapshotTests : IDisposable
{
    private const long Addresses = 256 << 20;

    private readonly TreePages _pages = new(Addresses, Addresses, SlabBudget.Unlimited, 0, hugePages: false);
    private readonly TreeGraveyard _graveyard;
    private TreeRoot _root;
    private TreeEpochs _epochs;

    public TreeSnapshotTests() => _graveyard = new TreeGraveyard(_pages);

    public void Dispose() => _pages.Dispose();

    [Fact]
    public void Release_OfTheNewerSnapshot_FreesWhatOnlyItHad()
    {
        for (uint i = 0; i < 10_000; i++)
            Set(i * 400_000, 0);
        uint old = Take();
        for (uint i = 0; i < 10_000; i++)
            Set(i * 400_000, 1); // Every page is copied once.
        long before = _pages.PageBytes;
        for (int round = 0; round < 1_000; round++)
        {
            uint snapshot = Take();
            Set(400_000, (byte)round);
            Release(snapshot);
        }

        Assert.InRange(_pages.PageBytes, before - 10_000, before + 10_000);
        Release(old);
        Assert.Equal(_root.PageBytes, _pages.PageBytes);
    }

    [Fact]
    public void Release_OfALongList_IsDoneInSteps()
    {
        for (uint i = 0; i < 200_000; i++)
            Set(i * 20_000, 0);
        uint old = Take(), newer = Take();
        for (uint i = 0; i < 200_000; i++)
            Set(i * 20_000, 1);
        long before = _pages.PageBytes;

        int steps = 1;
        for (bool more = TreeSnapshots.Release(_pages, ref _epochs, _graveyard, newer); more; steps++)
            more = TreeSnapshots.TrySettle(_pages, in _epochs, _graveyard);

        Assert.InRange(steps, 2, 10);
        Assert.InRange(_pages.PageBytes, before - 20_000, before); // The older one has them all.
        Release(old);
        Assert.Equal(_root.PageBytes, _pages.PageBytes);
    }

    [Fact]
    public void Collapse_OfPagesThatASnapshotHas_FindsRoomInItsList() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int run = 0; run < 100; run++)
        {
            for (int count = random.Next(5, 200); count > 0; count--)
                SetLong(random);
            while (_root.Count > 0)
            {
                uint snapshot = Take();
                FillListBut(_pages.Addresses[_root.Page].Level + 1);
                uint rank = random.Next(2) == 0 ? _root.Count - 1 : (uint)random.Next((int)_root.Count);
                Assert.Equal(
                    TreeChange.Removed, new TreeWriter<ByScore>(_pages, ref _root, ref _epochs, 1).RemoveAt(rank));
                Release(snapshot);
            }

            Assert.Equal(0, _pages.PageBytes);
        }
    });

    // Leaves room for so many pages.
    private void FillListBut(int room)
    {
        while (TreeSnapshots.HasRoom(_pages.Addresses, in _epochs, room + 1))
        {
            Assert.True(_pages.TryTake(1, out uint page));
            _pages.Addresses[page].Initialize(1, level: 0, epoch: 0, owner: 1);
            TreeSnapshots.Retire(_pages, ref _epochs, page);
        }
    }

    private uint Take()
    {
        Assert.True(TreeSnapshots.TryTake(_pages, ref _epochs, 1, out uint snapshot));
        return snapshot;
    }

    private void Release(uint snapshot)
    {
        for (bool more = TreeSnapshots.Release(_pages, ref _epochs, _graveyard, snapshot); more;)
            more = TreeSnapshots.TrySettle(_pages, in _epochs, _graveyard);
        while (_graveyard.Step())
        {
        }
    }

    private void Set(uint key, byte value)
    {
        byte[] bytes = [value];
        var entry = new TreeEntry("name"u8, bytes);
        Assert.NotEqual(
            TreeChange.NoRoom, new TreeWriter<ByHashWithValue>(_pages, ref _root, ref _epochs, 1).Set(key, entry));
    }

    private void SetLong(Random random)
    {
        byte[] name = new byte[TreeEntry.LengthMax];
        random.NextBytes(name.AsSpan(name.Length - 4));
        var writer = new TreeWriter<ByScore>(_pages, ref _root, ref _epochs, 1);
        Assert.Equal(TreeChange.Added, writer.Set(0, new TreeEntry(name, default)));
    }
}
