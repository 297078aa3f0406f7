using Cache.Core.Collections.Objects;
using Cache.Core.Validation;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

public sealed class StreamKeyTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private StreamKey Stream => Store.Stream("s"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Append_WithTheSameFields_StoresThemOnce()
    {
        for (int i = 0; i < 1_000; i++)
        {
            var fields = new StreamModel.Fields(
                ["a long name of a field", $"{i}", "another long name", "v", "third", "w"]);
            Stream.Append(ref fields, new StreamAppend { Id = new StreamId((ulong)i, 1) }, out _);
        }

        Assert.Equal(ReadStatus.Found, Stream.GetInfo(out var info));
        Assert.Equal(1_000, info.Length);
        Assert.InRange(info.PageBytes / 1_000.0, 1, 24); // The names of the fields alone have 44.
    }

    [Fact]
    public void Remove_OfTheLastEntry_KeepsTheKeyAndItsIds()
    {
        Stream.Append("f"u8, "v"u8, out var id);
        Assert.Equal(WriteStatus.Done, Stream.Remove([id], out long removed));

        Assert.Equal((1, 0, EntryKind.Stream), (removed, Stream.Count, Store.KindOf("s"u8)));
        Stream.GetInfo(out var info);
        Assert.Equal((id, id, 1), (info.LastId, info.MaxRemovedId, info.Added));
        Assert.Equal(WriteStatus.Done, Store.Remove("s"u8) ? WriteStatus.Done : WriteStatus.NotFound);
        Store.Validate();
    }

    [Fact]
    public void Copy_OfAStream_HasItsEntries()
    {
        var random = new Random(1);
        for (int i = 0; i < 300; i++)
            Stream.Append("f"u8, Bytes(new string('x', random.Next(3) == 0 ? 2_000 : 10)), out _);
        Assert.Equal(WriteStatus.Done, Store.Copy("s"u8, Store, "t"u8, SetCondition.Always));
        Stream.Trim(new StreamTrim { MaxLength = 0 }, out _);

        Assert.Equal((0, 300), (Stream.Count, Store.Stream("t"u8).Count));
        Store.Validate();
    }

    [Fact]
    public void Changes_AtRandom_AreThoseOfASortedList() => RandomSeed.Run(this, seed =>
    {
        using var fixture = new StoreFixture();
        var model = new StreamModel(fixture.Store, new Random(seed));
        for (int round = 0; round < 20; round++)
        {
            for (int i = 0; i < 60; i++)
                model.Change();
            model.Compare();
            fixture.Store.Validate();
        }
    });

    [Fact]
    public void IsWhole_OfOtherBytes_IsFalse()
    {
        Assert.False(StreamElement.IsWhole([], [], isDropped: false));
        Assert.False(StreamElement.IsWhole([0], new byte[55], isDropped: false));
        Assert.False(StreamElement.IsWhole([0], [], isDropped: true));
        Assert.False(StreamElement.IsWhole([9], [], isDropped: false));
        byte[] name = new byte[StreamElement.EntryNameSize];
        StreamElement.NameEntry(name, new StreamId(1, 1));
        Assert.True(StreamElement.IsWhole(name, [3, 1, 1, 102, 1, 118], isDropped: false));
        Assert.False(StreamElement.IsWhole(name, [3, 1, 1, 102, 2, 118], isDropped: false));
        Assert.False(StreamElement.IsWhole(name, [3, 1, 1, 102, 1, 118, 0], isDropped: false));
        Assert.False(StreamElement.IsWhole(name, [1, 0], isDropped: false));
        Assert.False(StreamElement.IsWhole(name, [4, 1, 2, 102, 1, 118], isDropped: false));
    }
}
