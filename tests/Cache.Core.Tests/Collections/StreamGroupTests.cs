using System.Text;
using Cache.Core.Changes;
using Cache.Core.Collections;
using Cache.Core.Validation;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

public sealed class StreamGroupTests : IDisposable
{
    private static readonly StreamGroupOptions _fromStart =
        new() { LastDeliveredId = StreamId.Zero, MakesStream = true };

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private StreamKey Stream => Store.Stream("s"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void ReadGroup_OfMoreThanAStep_DeliversEachEntryOnce()
    {
        Fill(300);
        Assert.Equal(300, Read("a"u8, default).Count);
        Assert.Empty(Read("b"u8, default));
        Assert.Equal(300, Read("a"u8, new StreamGroupRead { After = StreamId.Zero }).Count);
        Assert.Equal(20, Read("a"u8, new StreamGroupRead { After = new StreamId(200, 1), Count = 20 }).Count);

        using (var snapshot = Stream.TakeSnapshot(out _))
        {
            Assert.True(snapshot.TryGetGroup("g"u8, out var group));
            Assert.Equal((300, 1, 0L, 300L), (group.Pending, group.Consumers, group.Lag, group.EntriesRead));
            Assert.Equal((new StreamId(1, 1), new StreamId(300, 1)), (group.FirstPendingId, group.LastPendingId));
            Stream.RemoveConsumer("g"u8, "a"u8, out long pending, out _);
            Assert.Equal(300, pending);
            Assert.True(snapshot.TryGetConsumer("g"u8, "a"u8, out var consumer)); // As it was.
            Assert.Equal(300, consumer.Pending);
        }

        Store.Validate();
    }

    [Fact]
    public void RemoveGroup_RemovesAllThatItHad()
    {
        Fill(300);
        Stream.GetInfo(out var before);
        for (int i = 0; i < 10; i++)
            Read(Bytes($"consumer {i}"), new StreamGroupRead { Count = 30 });

        Assert.Equal(WriteStatus.Done, Stream.RemoveGroup("g"u8, out _));
        Stream.GetInfo(out var after);
        Assert.Equal((before.Elements - 1, 0), (after.Elements, after.Groups));
        Assert.Equal(WriteStatus.ConditionNotMet, Stream.RemoveGroup("g"u8, out var outcome));
        Assert.Equal(StreamGroupStatus.NoGroup, outcome);
        Store.Validate();
    }

    // What a group had goes in steps; in between the key may become another stream, whose groups have the same numbers.
    [Fact]
    public void RemoveGroup_WhereTheKeyBecomesAnotherStream_LeavesThatOneAlone()
    {
        Fill(300);
        Read("a"u8, default);
        var observer = new OneStep(() =>
        {
            Store.Remove("s"u8);
            Fill(300);
            Read("b"u8, default);
        });
        Store.Attach(observer);
        Assert.Equal(WriteStatus.Done, Stream.RemoveGroup("g"u8, out _));
        Store.Detach(observer);

        Assert.True(observer.IsDone);
        Assert.Equal(300, Read("b"u8, new StreamGroupRead { After = StreamId.Zero }).Count);
        using (var snapshot = Stream.TakeSnapshot(out _))
        {
            Assert.True(snapshot.TryGetGroup("g"u8, out var group));
            Assert.Equal((300, 1), (group.Pending, group.Consumers));
        }

        Store.Validate();
    }

    [Fact]
    public void RemoveGroup_InTheMiddle_IsStoredWithoutWhatIsGone()
    {
        Fill(300);
        Read("a"u8, default);
        byte[] stored = [];
        var observer = new OneStep(() =>
        {
            var sink = new StoredSink();
            Assert.True(Store.TryPeekStored("s"u8, ref sink, out _));
            stored = sink.Bytes;
        });
        Store.Attach(observer);
        Stream.RemoveGroup("g"u8, out _);
        Store.Detach(observer);

        Assert.True(StoredCollection.IsWhole(EntryKind.Stream, stored));
        Assert.Equal(WriteStatus.Done, Store.SetStored("t"u8, EntryKind.Stream, stored, default));
        Store.Validate();
    }

    [Fact]
    public void AutoClaim_OfManyEntries_TakesThemAll_AndTellsOfThoseThatWereRemoved()
    {
        Fill(300);
        Read("a"u8, default);
        Stream.Remove([new StreamId(7, 1), new StreamId(250, 1)], out _);

        var claimed = new StreamClaimed();
        var sink = new StreamModel.EntryTexts([]);
        var status = Stream.AutoClaim(
            "g"u8, "b"u8, default, StreamId.Zero, 290, claimed, ref sink, out var outcome);

        Assert.Equal((WriteStatus.Done, true), (status, outcome.MadeConsumer));
        Assert.Equal((288, new StreamId(291, 1)), (sink.Entries.Count, claimed.Next));
        Assert.Equal([new StreamId(7, 1), new StreamId(250, 1)], claimed.Removed);
        using (var snapshot = Stream.TakeSnapshot(out _))
        {
            Assert.True(snapshot.TryGetConsumer("g"u8, "b"u8, out var consumer));
            Assert.Equal(288, consumer.Pending);
            Assert.Equal("b", NameOfFirst(snapshot));
        }

        Store.Validate();
    }

    [Fact]
    public void Claim_OfLongEntries_TellsThem()
    {
        Stream.CreateGroup("g"u8, _fromStart, out _);
        string value = new('x', 5_000);
        Stream.Append("f"u8, Bytes(value), out var id);
        Assert.Equal($"{id}: f|{value}", Assert.Single(Read("a"u8, default)));
        Assert.Equal($"{id}: f|{value}", Assert.Single(Read("a"u8, new StreamGroupRead { After = StreamId.Zero })));

        var sink = new StreamModel.EntryTexts([]);
        Stream.Claim("g"u8, "b"u8, default, [id, id], ref sink, out _);

        Assert.Equal(2, sink.Entries.Count);
        Stream.Acknowledge("g"u8, [id, id], out long acknowledged);
        Assert.Equal(1, acknowledged);
        Store.Validate();
    }

    [Fact]
    public void Names_ThatAreTooLong_AreRefused()
    {
        byte[] name = new byte[StreamKey.GroupNameLengthMax + 1];
        Assert.Equal(WriteStatus.ValueTooLong, Stream.CreateGroup(name, _fromStart, out _));
        Assert.Equal(WriteStatus.Done, Stream.CreateGroup(name[1..], _fromStart, out _));
        Assert.Equal(WriteStatus.ValueTooLong, Stream.CreateConsumer(name[1..], name, out _));
        Assert.Equal(WriteStatus.Done, Stream.CreateConsumer(name[1..], name[1..], out _));
        var sink = new StreamModel.EntryTexts([]);
        Assert.Equal(WriteStatus.ValueTooLong, Stream.ReadGroup(name[1..], name, default, ref sink, out _));
        Assert.Equal(WriteStatus.Done, Stream.RemoveConsumer(name[1..], name[1..], out _, out _));
        Assert.Equal(WriteStatus.ConditionNotMet, Stream.RemoveConsumer(name[1..], name[1..], out _, out _));
        Assert.Equal(WriteStatus.ConditionNotMet, Stream.RemoveGroup(name, out _));
        Store.Validate();
    }

    [Fact]
    public void Group_OfAnAbsentOrOtherKey_IsNotThere()
    {
        Assert.Equal(WriteStatus.NotFound, Stream.CreateGroup("g"u8, default, out _));
        Assert.Equal(ReadStatus.NotFound, Stream.FindGroup("g"u8, out _, out _, out _));
        Store.Set("s"u8, "v"u8);
        Assert.Equal(WriteStatus.WrongType, Stream.CreateGroup("g"u8, _fromStart, out _));
        Assert.Equal(WriteStatus.WrongType, Stream.Acknowledge("g"u8, [StreamId.Max], out _));
        Stream.TakeSnapshot(out var status).Dispose();
        Assert.Equal(ReadStatus.WrongType, status);
    }

    private static string NameOfFirst(scoped in StreamSnapshot snapshot)
    {
        var pending = snapshot.GetPending("g"u8, StreamId.Zero);
        Assert.True(pending.MoveNext());
        return Encoding.UTF8.GetString(pending.Consumer);
    }

    private void Fill(int count)
    {
        Stream.CreateGroup("g"u8, _fromStart, out _);
        for (int i = 1; i <= count; i++)
        {
            var fields = new StreamModel.Fields(["field", $"{i}"]);
            Stream.Append(ref fields, new StreamAppend { Id = new StreamId((ulong)i, 1) }, out _);
        }
    }

    // Does something once, behind the first write that it is told of.
    private sealed class OneStep(Action action) : ChangeObserver
    {
        public bool IsDone { get; private set; }

        public override void Note(in ChangeNote note)
        {
        }

        public override void Drain()
        {
            if (IsDone)
                return;
            IsDone = true;
            action();
        }
    }

    private struct StoredSink : IValueSink
    {
        public byte[] Bytes { get; private set; }

        public Span<byte> GetSpan(int length) => Bytes = new byte[length];

        public readonly void Advance(int length)
        {
        }
    }

    private List<string> Read(ReadOnlySpan<byte> consumer, StreamGroupRead options)
    {
        var sink = new StreamModel.EntryTexts([]);
        Assert.Equal(WriteStatus.Done, Stream.ReadGroup("g"u8, consumer, options, ref sink, out _));
        return sink.Entries;
    }
}
