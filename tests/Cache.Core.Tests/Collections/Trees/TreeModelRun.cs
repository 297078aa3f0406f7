using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Collections.Trees;

/// <summary>Random operations on a tree and its model, and random questions to both.</summary>
internal sealed class TreeModelRun<TOrder>(ModelTree<TOrder> tree, Random random)
    where TOrder : struct, ITreeOrder
{
    // Grows, then shrinks to nothing, and again.
    private const int Phase = 350;

    private readonly ElementSource<TOrder> _source = new(random);

    /// <summary>Builds a tree of full pages, which is higher than random ones of some hundred elements.</summary>
    public void BeginWithMany()
    {
        byte[] value = new byte[TOrder.HasValue ? 600 : 0];
        int nameLength = TreeEntry.LengthMax - value.Length;
        int count = 3 * TreeInner<TOrder>.CountMax + 20;
        var elements = new List<Element>();
        for (int i = 0; i < count; i++)
        {
            byte[] name = new byte[nameLength];
            ulong key = (ulong)i * uint.MaxValue / (ulong)count;
            key = TOrder.KeySize == 0 ? 0 : key << (8 * (TOrder.KeySize - sizeof(uint)));
            elements.Add(new Element(key, name, value));
        }

        tree.Build(elements);
        tree.Check();
        for (int i = 0; i < 30; i++)
            Change(adds: true);
        tree.Check();
        while (tree.Elements.Count > 200)
            Assert.Equal(TreeChange.Removed, tree.RemoveAt(random.Next(tree.Elements.Count)));
    }

    /// <summary>A change, perhaps a snapshot or moves, and questions.</summary>
    public void Step(int step)
    {
        bool grows = step % Phase < Phase / 2;
        Change(random.Next(10) < (grows ? 8 : 2));
        Other();
        tree.Check();
        Ask();
    }

    public Element NextElement() => _source.Next();

    /// <summary>Ends snapshots and tree: nothing is left.</summary>
    public void End()
    {
        while (tree.SnapshotCount > 0)
            tree.ReleaseSnapshot(random.Next(tree.SnapshotCount));
        tree.Check();
        tree.Bury();
        while (tree.Graveyard.Step(random.Next(1, 10)))
        {
        }

        tree.Check();
        Assert.Equal((0, 0), (tree.Pages.UsedBytes, tree.Pages.PageBytes));
    }

    private void Change(bool adds)
    {
        var element = _source.Next();
        int count = tree.Elements.Count;
        if (TOrder.KeySize == 0)
            ChangeByPosition(adds, element);
        else if (adds || count == 0)
            Assert.NotEqual(TreeChange.NoRoom, tree.Set(element));
        else if (random.Next(4) == 0)
            Assert.NotEqual(TreeChange.NoRoom, tree.Remove(element));
        else if (random.Next(4) == 0)
            Assert.Equal(TreeChange.Removed, tree.RemoveAt(random.Next(count)));
        else
            Assert.Equal(TreeChange.Removed, tree.Remove(tree.Elements[random.Next(count)]));
    }

    private void ChangeByPosition(bool adds, Element element)
    {
        int count = tree.Elements.Count;
        int place = random.Next(4) switch { 0 => 0, 1 => count, _ => random.Next(count + 1) };
        if (adds || count == 0)
            Assert.Equal(TreeChange.Added, tree.InsertAt(place, element));
        else if (random.Next(4) == 0)
            Assert.Equal(TreeChange.Replaced, tree.SetAt(random.Next(count), element));
        else
            Assert.Equal(TreeChange.Removed, tree.RemoveAt(Math.Min(place, count - 1)));
    }

    private void Other()
    {
        switch (random.Next(40))
        {
            case 0:
                Assert.True(tree.TryTakeSnapshot());
                break;
            case 1 or 2 when tree.SnapshotCount > 0:
                tree.ReleaseSnapshot(random.Next(tree.SnapshotCount));
                break;
            case 3:
                tree.Pages.ChooseVictims(1, slabsMax: 100);
                tree.MoveVictims();
                break;
            case 4:
                tree.MoveVictimsInOrder();
                tree.Pages.ReleaseVictims();
                break;
        }
    }

    private void Ask()
    {
        var elements = tree.Elements;
        var reader = tree.Reader;
        if (TOrder.KeySize != 0)
            AskByName(_source.Next());
        if (elements.Count == 0)
            return;
        int rank = random.Next(elements.Count);
        if (TOrder.KeySize != 0)
            AskByName(elements[rank]);
        Assert.False(reader.At((uint)elements.Count).IsValid);
        AssertNear(reader.At((uint)rank), rank);
    }

    private void AskByName(Element asked)
    {
        var reader = tree.Reader;
        int place = tree.Elements.BinarySearch(asked);
        int below = place < 0 ? ~place : place;
        Assert.Equal(place >= 0, reader.TryFind(asked.Key, asked.Name, out var entry));
        if (place >= 0)
            tree.Elements[place].AssertIs(entry);
        Assert.Equal((uint)below, reader.CountBelow(asked.Key, asked.Name));
        Assert.Equal(place >= 0, reader.TryFindRank(asked.Key, asked.Name, out uint rank));
        if (place >= 0)
            Assert.Equal((uint)place, rank);
        if (TOrder.KeySize == sizeof(uint))
        {
            Assert.Equal(place >= 0, reader.TryFindHash((uint)asked.Key, asked.Name, out entry));
            if (place >= 0)
                tree.Elements[place].AssertIs(entry);
        }

        AssertNear(reader.AtOrAbove(asked.Key, asked.Name), below);
    }

    // The element at a rank, some behind it, and back to some before.
    private void AssertNear(TreeCursor<TOrder> cursor, int rank)
    {
        int last = Math.Min(tree.Elements.Count, rank + random.Next(12));
        for (; rank < last; rank++)
        {
            AssertAt(cursor, rank);
            Assert.Equal(rank + 1 < tree.Elements.Count, cursor.MoveNext());
        }

        Assert.Equal(rank < tree.Elements.Count, cursor.IsValid);
        for (int first = Math.Max(0, rank - random.Next(24)); rank > first; rank--)
        {
            Assert.True(cursor.MovePrevious());
            AssertAt(cursor, rank - 1);
        }

        if (rank == 0)
            Assert.False(cursor.MovePrevious());
    }

    private void AssertAt(TreeCursor<TOrder> cursor, int rank)
    {
        Assert.True(cursor.IsValid);
        Assert.Equal(tree.Elements[rank].Key, cursor.Key);
        tree.Elements[rank].AssertIs(cursor.Entry);
    }
}
