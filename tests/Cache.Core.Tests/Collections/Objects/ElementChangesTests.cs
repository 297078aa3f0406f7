using Cache.Core.Collections.Objects;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Collections.Objects;

/// <summary>What a write plans, with long values in blocks.</summary>
public sealed class ElementChangesTests : IDisposable
{
    private const int LengthMax = 100_000;

    private readonly PageHeap _heap = new(64 << 20, 256 << 20);
    private readonly LongElements _owner;

    public ElementChangesTests() => _owner = new LongElements(_heap, SlabBudget.Unlimited, static _ => { });

    public void Dispose() => _heap.Dispose();

    [Fact]
    public void Put_OfALongValueWithoutABlock_AsksForIt()
    {
        var changes = ElementChanges.Rent(LengthMax);
        Plan(changes, new byte[5_000], 1);
        Assert.True(changes.NeedsBlocks);
        Prepare(changes, new byte[5_000]);
        changes.Clear();
        Plan(changes, new byte[5_000], 1);
        Assert.False(changes.NeedsBlocks);
        Assert.True(changes.HasLong);
        changes.Clear();
        Plan(changes, new byte[5_001], 1);
        Assert.True(changes.NeedsBlocks);
        changes.Return(_owner);
        Assert.Equal((0, 0), (_owner.Bytes, _owner.OwnedBytes));
    }

    [Fact]
    public void Told_OfSeveralElements_IsAnImageOfThese()
    {
        byte[] value = [.. Enumerable.Range(0, 5_000).Select(static i => (byte)i)];
        var changes = ElementChanges.Rent(LengthMax);
        Prepare(changes, value);
        Plan(changes, value, 1);
        Assert.False(changes.MayBeTold());
        Assert.True(_owner.TryCreate(changes.ImageLength, out var image));
        changes.OwnImage(image);
        Assert.True(changes.MayBeTold());
        AssertTold(changes, value, 1);

        changes.Clear();
        Plan(changes, value, 2);
        Assert.False(changes.MayBeTold());
        Assert.True(changes.NeedsImage);
        changes.Return(_owner);
        Assert.Equal((0, 0), (_owner.Bytes, _owner.OwnedBytes));
    }

    [Fact]
    public void Told_OfOneLongElement_IsItsBlock()
    {
        byte[] value = [.. Enumerable.Range(0, 5_000).Select(static i => (byte)i)];
        var changes = ElementChanges.Rent(LengthMax);
        Prepare(changes, value);
        changes.Put("long"u8, value);
        Assert.True(changes.MayBeTold());
        var reader = ElementReader.OfStored(changes.Told(isCollection: true));
        Assert.True(reader.TryRead());
        Assert.True(reader.Value.SequenceEqual(value));
        Assert.True(reader.Name.SequenceEqual("long"u8));
        Assert.True(ElementReader.IsWhole(EntryKind.Hash, changes.Told(isCollection: false), isCollection: false));
        changes.Return(_owner);
    }

    private static void Plan(ElementChanges changes, byte[] value, byte other)
    {
        changes.Put("long"u8, value);
        changes.Put("short"u8, [other]);
    }

    private void Prepare(ElementChanges changes, byte[] value)
    {
        changes.ReleaseBlocks(_owner);
        var maker = new LongElementMaker(_owner, changes);
        maker.Add("long"u8, value);
        maker.Add("short"u8, [1]);
        Assert.Equal((0, 1), (maker.MissingBytes, changes.OwnedCount));
    }

    private static void AssertTold(ElementChanges changes, byte[] value, byte other)
    {
        var reader = new ElementReader(changes.Told(isCollection: false));
        Assert.True(reader.TryRead());
        Assert.True(reader.Value.SequenceEqual(value));
        Assert.True(reader.TryRead());
        Assert.True(reader.Value.SequenceEqual([other]));
        Assert.False(reader.TryRead());
    }
}
