using System.Diagnostics;

namespace Cache.Core.Changes;

/// <summary>
/// A write's records for the journal: it reserves their room before its first change, and fills it as it writes.
/// </summary>
/// <remarks>
/// Records are added, then reserved together, then written one by one in the same order; after the last one the
/// reservation is complete. A group is reserved before its records are known: each of its writes takes a part of its
/// room. One per thread, kept for the next write.
/// </remarks>
internal sealed class ChangeRecorder
{
    // A longer list is not kept for the next write: some 60 KB.
    private const int RecordsKeptMax = 1024;

    [ThreadStatic]
    private static ChangeRecorder? _cached;

    private readonly List<ChangeRecord> _records = [];
    private readonly Queue<ChangeValue> _lent = [];
    private ChangeJournal? _journal;
    private ChangeReservation _reservation;
    private int _next;
    private bool _isReserved;

    // The room that a group has left.
    private long _roomBytes;
    private int _roomCount;

    // Of a group: what other threads have cleared since its keys were locked; one bit for each keyspace.
    private uint _clearedKeyspaces;

    /// <summary>Whether several writes use it, up to <see cref="EndGroup"/>.</summary>
    public bool IsGroup { get; private set; }

    /// <summary>The bytes and records that a group has left.</summary>
    public (long Bytes, int Count) Room => (_roomBytes, _roomCount);

    /// <summary>The bytes that all records take.</summary>
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
        Debug.Assert(!_isReserved || IsGroup);
        _records.Add(record);
        Bytes += _journal!.SizeOf(record);
    }

    /// <summary>Takes over the value of a record that is lent, added before or afterwards.</summary>
    public void Add(ChangeValue value) => _lent.Enqueue(value);

    /// <summary>Makes room to take over a lent value, before the write changes anything: it may throw.</summary>
    public void EnsureRoom() => _lent.EnsureCapacity(_lent.Count + 1);

    /// <summary>Reserves room for the added records; in a group, checks that its room suffices.</summary>
    public bool TryReserve() => IsGroup
        ? Bytes <= _roomBytes && _records.Count <= _roomCount
        : _isReserved = _journal!.TryReserve(Bytes, _records.Count, out _reservation);

    /// <summary>Begins a group, and reserves its room.</summary>
    /// <remarks>
    /// clearedKeyspaces: One bit for each whose clear by another thread is in the journal already, while the group
    /// still writes what that clears: it is not recorded.
    /// </remarks>
    /// <returns>False if there is no room; the group then has none.</returns>
    public bool TryReserveGroup(long bytes, int count, uint clearedKeyspaces)
    {
        Debug.Assert(_records.Count == 0 && !_isReserved);
        IsGroup = true;
        _clearedKeyspaces = clearedKeyspaces;
        if (count == 0)
            return true;
        _isReserved = _journal!.TryReserve(bytes, count, out _reservation);
        if (_isReserved)
            (_roomBytes, _roomCount) = (bytes, count);
        return _isReserved;
    }

    /// <summary>Writes the next record; after the last one, another write may use this recorder.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="value">The whole value of the key as it is now.</param>
    /// <returns>Whether it was the last of this write.</returns>
    public bool Write(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Debug.Assert(_isReserved);
        var record = _records[_next++];
        Debug.Assert(record.KeyLength == key.Length);
        if (IsGroup)
            TakeRoom(record);
        bool isVoid = (_clearedKeyspaces >> record.Keyspace & 1) != 0;
        if (isVoid && record.IsLent)
            _lent.Dequeue().Dispose();
        else if (record.IsLent)
            _journal!.Write(ref _reservation, record, key, _lent.Dequeue());
        else if (!isVoid)
            _journal!.Write(ref _reservation, record, key, value.Slice(record.Offset, record.ValueLength));
        if (_next < _records.Count)
            return false;
        End();
        return true;
    }

    /// <summary>Ends the write: records that were not written are dropped. A group continues.</summary>
    public void End()
    {
        while (_lent.TryDequeue(out var value))
            value.Dispose();
        _records.Clear();
        _next = 0;
        Bytes = 0;
        if (IsGroup)
            return;
        if (_isReserved)
            _journal!.Complete(ref _reservation);
        _isReserved = false;
        _journal = null;
        _reservation = default;
        if (_records.Capacity <= RecordsKeptMax)
            _cached = this;
    }

    /// <summary>Ends a group: the written records take effect, and the rest of its room is given back.</summary>
    public void EndGroup()
    {
        Debug.Assert(IsGroup);
        IsGroup = false;
        (_roomBytes, _roomCount, _clearedKeyspaces) = (0, 0, 0);
        End();
    }

    private void TakeRoom(in ChangeRecord record)
    {
        _roomBytes -= _journal!.SizeOf(record);
        _roomCount--;
        Debug.Assert(_roomBytes >= 0 && _roomCount >= 0, "The write has checked its room before.");
    }
}
