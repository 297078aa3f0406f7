using Cache.Core.Collections;
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

    // Else it could be many times as long in a file as in its pages, and too long for one.
    [Fact]
    public void Stored_DoesNotRepeatTheNamesOfFields()
    {
        string name = new('n', 480);
        for (int i = 0; i < 2_000; i++)
        {
            string[] words = i % 500 == 7 ? ["other", "v"]
                : i == 900 ? ["long", new string('v', 5_000)]
                : i == 950 ? [new string('m', 2_000), "v"]
                : [name, $"{i % 10}"];
            Append("s", words);
        }

        var stored = new StoredBytes();
        Assert.True(Store.TryPeekStored("s"u8, ref stored, out _));
        Store.Stream("s"u8).GetInfo(out var info);
        Assert.InRange(stored.Bytes.Length, 1, 10 * info.PageBytes);
        Assert.True(StoredCollection.IsWhole(EntryKind.Stream, stored.Bytes));
        Assert.Equal(WriteStatus.Done, Store.SetStored("t"u8, EntryKind.Stream, stored.Bytes, default));

        Assert.Equal(All("s"), All("t"));
        Store.Validate();
    }

    [Fact]
    public void IsWhole_OfAnEntryWithoutNames_IsTrueBehindOneThatHasThem()
    {
        byte[] name = new byte[StreamElement.EntryNameSize];
        StreamElement.NameEntry(name, new StreamId(1, 1));
        var shape = default(ReadOnlySpan<byte>);
        Assert.False(StreamElement.IsWhole(name, [0, 1, 118], ref shape));
        Assert.True(StreamElement.IsWhole(name, [3, 1, 1, 102, 1, 118], ref shape));
        Assert.True(StreamElement.IsWhole(name, [0, 1, 118], ref shape));
        Assert.False(StreamElement.IsWhole(name, [0, 1, 118, 0], ref shape));
        Assert.False(StreamElement.IsWhole(name, [0], ref shape));
        Assert.False(StreamElement.IsWhole(name, [0, 1, 118], isDropped: false));

        // What is long is not copied for each entry behind it.
        byte[] value = new byte[4_000];
        (value[0], value[1], value[2], value[3], value[4]) = (0x9C, 0x1F, 1, 0x99, 0x1F); // 3,996 │ 1 │ 3,993 │ …
        Assert.True(StreamElement.IsWhole(name, value.AsSpan(0, 3_999), ref shape));
        Assert.False(StreamElement.IsWhole(name, [0, 1, 118], ref shape));
    }

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
        Assert.True(StreamElement.IsWhole([7, 0, 0, 0, 1], [], isDropped: false));
        Assert.True(StreamElement.IsWhole([7, 0, 0, 0, 1], [], isDropped: true));
        Assert.False(StreamElement.IsWhole([7, 0, 0, 0], [], isDropped: false));
        Assert.False(StreamElement.IsWhole([7, 0, 0, 0, 1], [0], isDropped: false));
    }

    private void Append(string key, string[] words)
    {
        var fields = new StreamModel.Fields(words);
        Assert.Equal(WriteStatus.Done, Store.Stream(Bytes(key)).Append(ref fields, new StreamAppend(), out _));
    }

    private List<string> All(string key)
    {
        var sink = new StreamModel.EntryTexts([]);
        Store.Stream(Bytes(key)).GetRange(StreamId.Zero, StreamId.Max, long.MaxValue, isReversed: false, ref sink);
        return sink.Entries;
    }

    private struct StoredBytes : IValueSink
    {
        public byte[] Bytes { get; private set; }

        public Span<byte> GetSpan(int length) => Bytes = new byte[length];

        public readonly void Advance(int length)
        {
        }
    }
}
