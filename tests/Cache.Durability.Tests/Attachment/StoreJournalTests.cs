using Cache.Core;
using Cache.Core.Changes;
using Cache.Durability.Attachment;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;
using Cache.Durability.Staging;
using Cache.Durability.Tests.Files;

namespace Cache.Durability.Tests.Attachment;

/// <summary>What becomes of reservations, of any length and number.</summary>
public sealed class StoreJournalTests : IBlockTarget, IRecordTarget
{
    private static readonly JournalOptions _options = new() { FileBytes = 2 << 20, Chunks = 4 };

    private readonly FaultyDirectory _directory = new();
    private readonly Journal _journal;
    private readonly StoreJournal _changes;
    private readonly RecordReplay _replay;
    private readonly List<string> _found = [];

    public StoreJournalTests()
    {
        _replay = new RecordReplay(this);
        _journal = Open();
        _changes = new StoreJournal(_journal.Staging, threads: null, new ChangeCounter());
    }

    [Theory]
    [InlineData(1, 100)]
    [InlineData(3, 100)]
    [InlineData(3, 100_000)]
    [InlineData(1, 1_000)]
    [InlineData(40, 200_000)]
    public void Records_AreReadAsTheyWereWritten(int count, int length)
    {
        Write(count, length, written: count);
        Assert.Equal(Enumerable.Range(0, count).Select(number => $"Set {number} {length}"), Read());
    }

    [Fact]
    public void Record_LongerThanAChunk_IsReadAsItWasWritten()
    {
        Write(1, ChangeJournal.SpanLengthMax, written: 1);
        Assert.Equal([$"Set 0 {ChangeJournal.SpanLengthMax}"], Read());
    }

    [Theory]
    [InlineData(1, 100, 0)]
    [InlineData(3, 100, 0)]
    [InlineData(3, 100, 1)]
    [InlineData(3, 100_000, 0)]
    [InlineData(3, 100_000, 2)]
    public void Reservation_ThatIsNotFilled_IsVoid(int count, int length, int written)
    {
        Write(count, length, written);
        Write(1, 8, 1);
        Assert.Equal([.. Enumerable.Range(0, written).Select(number => $"Set {number} {length}"), "Set 0 8"], Read());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    public void LentValues_AreWrittenInPartsAndGivenBack(int count)
    {
        var record = new ChangeRecord
        {
            Kind = ChangeKind.Set,
            KeyLength = 1,
            ValueLength = 300_000,
            IsLent = true,
        };
        var values = new List<ArrayValue>();
        Assert.True(_changes.TryReserve(count * _changes.SizeOf(record), count, out var reservation));
        for (int i = 0; i < count; i++)
        {
            values.Add(new ArrayValue(FilledWith(i, 300_000)));
            _changes.Write(ref reservation, record, [(byte)('0' + i)], values[i]);
        }

        _changes.Complete(ref reservation);
        Assert.Equal(Enumerable.Range(0, count).Select(number => $"Set {number} 300000"), Read());
        Assert.All(values, static value => Assert.True(value.IsDisposed));
    }

    [Fact]
    public void LongGroup_WithALentValue_KeepsTheOrder()
    {
        var copied = new ChangeRecord { Kind = ChangeKind.Set, KeyLength = 1, ValueLength = 200_000 };
        var lent = copied with { IsLent = true };
        long bytes = 2 * _changes.SizeOf(copied) + _changes.SizeOf(lent);
        Assert.True(_changes.TryReserve(bytes, 3, out var reservation));
        _changes.Write(ref reservation, copied, "0"u8, FilledWith(0, 200_000));
        _changes.Write(ref reservation, lent, "1"u8, new ArrayValue(FilledWith(1, 200_000)));
        _changes.Write(ref reservation, copied, "2"u8, FilledWith(2, 200_000));
        _changes.Complete(ref reservation);
        Assert.Equal(["Set 0 200000", "Set 1 200000", "Set 2 200000"], Read());
    }

    [Fact]
    public void LongGroups_TakeMemoryInTurns()
    {
        var record = new ChangeRecord { Kind = ChangeKind.Set, KeyLength = 1, ValueLength = 200_000 };
        long bytes = 50 * _changes.SizeOf(record);
        Assert.True(_changes.TryReserve(bytes, 50, out var first));
        Assert.False(_changes.TryReserve(bytes, 50, out _));
        var waiting = new Thread(() => _changes.WaitForRoom(bytes));
        waiting.Start();
        Assert.True(_changes.TryReserve(_changes.SizeOf(record), 1, out var small));
        _changes.Complete(ref small);
        Assert.True(waiting.IsAlive);
        _changes.Complete(ref first);
        _journal.Write();
        waiting.Join();
        Assert.True(_changes.TryReserve(bytes, 50, out _));
    }

    // Their records are short: the chunks alone would take any number of them.
    [Fact]
    public void LentValues_BeyondABound_AreWaitedFor()
    {
        byte[] bytes = new byte[24 << 20];
        var record = new ChangeRecord
        {
            Kind = ChangeKind.Set,
            KeyLength = 1,
            ValueLength = bytes.Length,
            IsLent = true,
        };
        long size = _changes.SizeOf(record);
        int count = 0;
        for (; count < 10 && _changes.TryReserve(size, 1, out var reservation); count++)
        {
            _changes.Write(ref reservation, record, "0"u8, new ArrayValue(bytes));
            _changes.Complete(ref reservation);
        }

        Assert.Equal(3, count);
        var waiting = new Thread(() => _changes.WaitForRoom(size));
        waiting.Start();
        Assert.True(waiting.IsAlive);
        _journal.Staging.Seal();
        _journal.Staging.Free(_journal.Staging.TakeSealed()!);
        waiting.Join();
        Assert.True(_changes.TryReserve(size, 1, out var last));
        _changes.Complete(ref last);
    }

    [Theory]
    [InlineData(EntryKind.String, "Set 0 8")]
    [InlineData(EntryKind.Hash, "Set 0 8 of type 1")]
    public void Record_TellsWhatTheValueIs(EntryKind kind, string expected)
    {
        var record = new ChangeRecord { Kind = ChangeKind.Set, EntryKind = kind, KeyLength = 1, ValueLength = 8 };
        Assert.True(_changes.TryReserve(_changes.SizeOf(record), 1, out var reservation));
        _changes.Write(ref reservation, record, "0"u8, FilledWith(0, 8));
        _changes.Complete(ref reservation);
        Assert.Equal([expected], Read());
    }

    // A transaction reserves for about what it writes.
    [Theory]
    [InlineData(1, 13)]
    [InlineData(3, 13)]
    [InlineData(1, 300_001)]
    [InlineData(3, 300_001)]
    public void Reservation_OfAnyLength_IsTaken(int count, int spare)
    {
        Write(count, 100, written: count, spare);
        Write(1, 8, 1);
        Assert.Equal([.. Enumerable.Range(0, count).Select(static number => $"Set {number} 100"), "Set 0 8"], Read());
    }

    [Fact]
    public void WaitForRoom_MoreThanMemoryCanBe_Throws() =>
        Assert.Throws<IOException>(() => _changes.WaitForRoom(Array.MaxLength + 1L));

    [Fact]
    public void Suspended_LentValues_AreGivenBack()
    {
        _journal.Staging.TurnOff(new IOException(), refusesWrites: false);
        var record = new ChangeRecord { Kind = ChangeKind.Set, KeyLength = 1, ValueLength = 8, IsLent = true };
        Assert.True(_changes.TryReserve(_changes.SizeOf(record), 1, out var reservation));
        var value = new ArrayValue(new byte[8]);
        _changes.Write(ref reservation, record, "0"u8, value);
        _changes.Complete(ref reservation);
        Assert.True(value.IsDisposed);
        Assert.True(_changes.TryReserve(1_000_000, 1, out reservation));
        _changes.Complete(ref reservation);
    }

    void IBlockTarget.Apply(string file, long offset, in BlockHeader header, ReadOnlySpan<byte> payload) =>
        _replay.Apply(file, offset, header.FirstLsn, payload);

    void IBlockTarget.NoteGap() => Assert.Fail("Nothing is damaged.");

    string IRecordTarget.Apply(in RecordView record, ReadOnlySpan<byte> value)
    {
        Assert.Equal(-1, value.IndexOfAnyExcept(record.Key[0]));
        string type = record.Fields.Type == 0 ? "" : $" of type {record.Fields.Type}";
        _found.Add($"{record.Fields.Kind} {record.Key[0] - '0'} {value.Length}{type}");
        return "";
    }

    private static byte[] FilledWith(int number, int length)
    {
        byte[] value = new byte[length];
        Array.Fill(value, (byte)('0' + number));
        return value;
    }

    private Journal Open() => JournalStart.Open(_directory, this, RecoveryMode.Strict, _options, out _);

    private List<string> Read()
    {
        _journal.Close();
        _journal.Dispose();
        Open().Dispose();
        return _found;
    }

    private void Write(int count, int length, int written, int spare = 0)
    {
        var record = new ChangeRecord { Kind = ChangeKind.Set, KeyLength = 1, ValueLength = length };
        Assert.True(_changes.TryReserve(count * _changes.SizeOf(record) + spare, count, out var reservation));
        for (int i = 0; i < written; i++)
            _changes.Write(ref reservation, record, [(byte)('0' + i)], FilledWith(i, length));
        _changes.Complete(ref reservation);
    }

    private sealed class ArrayValue(byte[] value) : ChangeValue
    {
        public bool IsDisposed { get; private set; }

        public override ReadOnlySpan<byte> Span => value;

        public override void Dispose() => IsDisposed = true;
    }
}
