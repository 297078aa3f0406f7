using System.Diagnostics;

namespace Cache.Core.Changes;

/// <summary>
/// What a write leaves in the journal: room that it reserved before its first change, and fills as it goes.
/// </summary>
/// <remarks>
/// Records are added, then reserved together, then written one by one in the same order; after the last one the
/// reservation is complete. One per thread, kept for the next write.
/// </remarks>
internal sealed class ChangeRecorder
{
    // More than this is left to the collector at the end: some 60 KB.
    private const int RecordsKeptMax = 1024;

    [ThreadStatic]
    private static ChangeRecorder? _cached;

    private readonly List<ChangeRecord> _records = [];
    private readonly Queue<ChangeValue> _lent = [];
    private ChangeJournal? _journal;
    private ChangeReservation _reservation;
    private int _next;
    private bool _isReserved;

    /// <summary>What all records take.</summary>
    public long Bytes { get; private set; }

    public static ChangeRecorder Rent(ChangeJournal journal)
    {
        var recorder = _cached ?? new ChangeRecorder();
        _cached = null;
        Debug.Assert(recorder._records.Count == 0);
        Debug.Assert(!recorder._isReserved);
        recorder._journal = journal;
        return recorder;
    }

    public void Add(in ChangeRecord record)
    {
        Debug.Assert(record.Kind != ChangeKind.None);
        Debug.Assert(record.IsLent || record.ValueLength <= ChangeJournal.SpanLengthMax);
        Debug.Assert(!_isReserved);
        _records.Add(record);
        Bytes += _journal!.SizeOf(record);
    }

    /// <summary>Takes over the value of a record that is lent, added before or afterwards.</summary>
    public void Add(ChangeValue value) => _lent.Enqueue(value);

    /// <summary>Makes sure that a lent value can be taken over: there may be no memory for it.</summary>
    public void EnsureRoom() => _lent.EnsureCapacity(_lent.Count + 1);

    public bool TryReserve() =>
        _isReserved = _journal!.TryReserve(Bytes, _records.Count, out _reservation);

    /// <summary>Writes the next record; after the last one this is another write's.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="value">The whole value of the key as it is now.</param>
    /// <returns>Whether it was the last one.</returns>
    public bool Write(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Debug.Assert(_isReserved);
        var record = _records[_next++];
        Debug.Assert(record.KeyLength == key.Length);
        if (record.IsLent)
            _journal!.Write(ref _reservation, record, key, _lent.Dequeue());
        else
            _journal!.Write(ref _reservation, record, key, value.Slice(record.Offset, record.ValueLength));
        if (_next < _records.Count)
            return false;
        End();
        return true;
    }

    /// <summary>Ends the write: what was not written is void.</summary>
    public void End()
    {
        if (_isReserved)
            _journal!.Complete(ref _reservation);
        while (_lent.TryDequeue(out var value))
            value.Dispose();
        _isReserved = false;
        _journal = null;
        _reservation = default;
        _records.Clear();
        _next = 0;
        Bytes = 0;
        if (_records.Capacity <= RecordsKeptMax)
            _cached = this;
    }
}
