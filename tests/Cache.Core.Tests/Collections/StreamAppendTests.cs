using Cache.Core.Collections;
using Cache.Core.Validation;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Entries behind the last one, where its block lies, and where they cannot be there.</summary>
public sealed class StreamAppendTests : IDisposable
{
    private readonly StoreFixture _fixture = new();
    private readonly List<string> _expected = [];

    private CacheStore Store => _fixture.Store;

    private StreamKey Stream => Store.Stream("s"u8);

    public void Dispose() => _fixture.Dispose();

    // A block of 999 bytes at most is full at some length of the last entry, and its page at another.
    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(66)]
    [InlineData(127)]
    [InlineData(250)]
    [InlineData(975)]
    [InlineData(1_100)]
    public void Append_AtTheEndOfAFullBlock_BeginsAnother(int length)
    {
        for (int i = 0; i < 400; i++)
            Append(new StreamId(1, (ulong)i + 1), "f", new string('v', (length + i) % (length + 5)));

        AssertAll();
    }

    [Fact]
    public void Append_OfIdsWhoseMillisecondsGoOn_KeepsThem()
    {
        ulong milliseconds = 1;
        for (int i = 0; i < 300; i++)
        {
            milliseconds += i % 50 == 49 ? 1UL << 40 : (ulong)(i % 3);
            Append(new StreamId(milliseconds, (ulong)i + 1), "f", $"{i}");
        }

        Append(new StreamId(ulong.MaxValue, ulong.MaxValue), "f", "last");
        AssertAll();
    }

    [Fact]
    public void Append_OfOtherFields_HasThemForItselfAndThoseBehind()
    {
        for (int i = 0; i < 300; i++)
        {
            if (i % 7 < 3)
                Append(At(i), "name", $"{i}", "other", "w");
            else
                Append(At(i), $"field {i % 7}", $"{i}");
        }

        AssertAll();
    }

    [Fact]
    public void Append_BehindALongEntry_BeginsABlock()
    {
        for (int i = 0; i < 60; i++)
            Append(At(i), "f", new string('v', i % 5 == 4 ? 3_000 : 10));

        AssertAll();
    }

    [Fact]
    public void Append_BehindARemovedLastEntry_FollowsTheOneBefore()
    {
        for (int i = 0; i < 200; i++)
        {
            Append(At(i), "f", $"{i}");
            if (i % 3 == 0)
                continue;
            Assert.Equal(WriteStatus.Done, Stream.Remove([At(i)], out long removed));
            Assert.Equal(1, removed);
            _expected.RemoveAt(_expected.Count - 1);
        }

        AssertAll();
        Assert.Equal(WriteStatus.Done, Stream.Trim(new StreamTrim { MaxLength = 0 }, out _));
        _expected.Clear();
        Append(At(1_000), "f", "behind nothing");
        AssertAll();
    }

    [Fact]
    public void Append_WithATrim_HasTheNewestEntries()
    {
        for (int i = 0; i < 300; i++)
        {
            Append(At(i), new StreamTrim { MaxLength = 20 }, "f", $"{i}");
            if (_expected.Count > 20)
                _expected.RemoveAt(0);
        }

        AssertAll();
    }

    [Fact]
    public void Append_BehindALastIdThatWasSet_IsGreater()
    {
        Append(At(1), "f", "1");
        Assert.Equal(WriteStatus.Done, Stream.SetId(At(50), null, default, out _));
        var fields = new StreamModel.Fields(["f", "2"]);
        var refused = Stream.Append(ref fields, new StreamAppend { Id = At(50) }, out _);
        Assert.Equal(WriteStatus.ConditionNotMet, refused);
        Append(At(51), "f", "3");

        AssertAll();
        Stream.GetInfo(out var info);
        Assert.Equal((At(51), 2), (info.LastId, info.Added));
    }

    [Fact]
    public void Append_ToAStreamThatWasLoaded_FollowsItsEntries()
    {
        for (int i = 0; i < 40; i++)
            Append(At(i), "f", $"{i}", "g", "w");
        var stored = default(ArraySink);
        Assert.True(Store.TryPeekStored("s"u8, ref stored, out _));
        Assert.True(Store.Remove("s"u8));
        Assert.Equal(WriteStatus.Done, Store.SetStored("s"u8, EntryKind.Stream, stored.Array, default));
        for (int i = 40; i < 80; i++)
            Append(At(i), "f", $"{i}", "g", "w");

        AssertAll();
    }

    // The page is the snapshot's: it is copied, and not written.
    [Fact]
    public void Append_BesideASnapshot_DoesNotChangeIt()
    {
        for (int i = 0; i < 300; i += 10)
        {
            using var snapshot = Stream.TakeSnapshot(out _);
            for (int j = i; j < i + 10; j++)
                Append(At(j), "f", $"{j}");
            var sink = new StreamModel.EntryTexts([]);
            if (i == 0) // There was no stream.
                continue;
            snapshot.GetRange(StreamId.Zero, StreamId.Max, long.MaxValue, isReversed: false, ref sink);
            Assert.Equal(_expected[..i], sink.Entries);
            Assert.Equal(i, snapshot.Info.Length);
        }

        AssertAll();
    }

    // Neither what the last leaf has ahead nor how it is split shows in a long stream.
    [Fact]
    public void Append_OfManyEntries_FillsPages()
    {
        const int Count = 5_000;
        for (int i = 0; i < Count; i++)
            AppendUnnoted(At(i), null, ["name", new string('v', 120)]);

        Stream.GetInfo(out var info);
        Assert.InRange(info.PageBytes / (double)Count, 140, 152); // Four blocks of seven in a page of 4 KB.
    }

    private static StreamId At(int i) => new((ulong)i + 1, 0);

    private void Append(StreamId id, params string[] words) => Append(id, null, words);

    private void Append(StreamId id, StreamTrim? trim, params string[] words)
    {
        AppendUnnoted(id, trim, words);
        _expected.Add($"{id}: {string.Join('|', words)}");
    }

    private void AppendUnnoted(StreamId id, StreamTrim? trim, string[] words)
    {
        var fields = new StreamModel.Fields(words);
        var status = Stream.Append(ref fields, new StreamAppend { Id = id, Trim = trim }, out var appended);
        Assert.Equal((WriteStatus.Done, id), (status, appended.Id));
    }

    private void AssertAll()
    {
        var sink = new StreamModel.EntryTexts([]);
        Stream.GetRange(StreamId.Zero, StreamId.Max, long.MaxValue, isReversed: false, ref sink);
        Assert.Equal(_expected, sink.Entries);
        Assert.Equal(_expected.Count, Stream.Count);
        Store.Validate();
    }
}
