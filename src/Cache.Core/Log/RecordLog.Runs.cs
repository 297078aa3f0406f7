using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Log;

/// <summary>Free segments, and records that are allocated in prepaid room.</summary>
internal sealed partial class RecordLog
{
    /// <summary>
    /// Allocates a record in a new active segment, whose bytes the caller has paid already: no other thread can fill it
    /// before, or seal it as empty.
    /// </summary>
    /// <returns>False, and the bytes are given back, if there is no free segment.</returns>
    public bool TryAllocatePrepaid(int stripe, LogStream stream, int size, long prepaidBytes, out Record record)
    {
        Debug.Assert(IsRecordSize(size));
        Debug.Assert(prepaidBytes >= 0);
        record = default;
        lock (_gate)
        {
            int start = StartFor(size);
            // The limit, and with it the size of segments, may have changed meanwhile: gives back or takes the
            // difference.
            _budget.Add(BytesOf(1, start) - prepaidBytes);
            if (!TryTakeRun(1, start, stream, out int segment))
                return false;
            record = Space.At(segment, start);
            ref long word = ref _active[stripe * StreamCount + (int)stream].Word;
            Seal(Interlocked.Exchange(ref word, ActiveSegment.WordOf(segment, start + size)));
            return true;
        }
    }

    /// <summary>Allocates a record longer than a segment, for whose bytes the caller has paid already.</summary>
    /// <returns>False, and the bytes are given back, if there is no free run.</returns>
    public bool TryAllocateLongPrepaid(LogStream stream, int size, long prepaidBytes, out Record record)
    {
        Debug.Assert(IsRecordSize(size));
        Debug.Assert(prepaidBytes >= 0);
        lock (_gate)
        {
            int start = Math.Max(0, SegmentSize - WholePages(size));
            int count = RunLengthOf(size);
            _budget.Add(BytesOf(count, start) - prepaidBytes);
            return TryAllocateLong(stream, size, count, start, out record);
        }
    }

    private bool TryAllocateLong(LogStream stream, int size, int count, int start, out Record record)
    {
        record = default;
        if (!TryTakeRun(count, start, stream | LogStream.Long, out int segment))
            return false;
        record = Space.At(segment, start);
        Seal(ActiveSegment.WordOf(segment, start + size));
        return true;
    }

    // Its bytes are taken already; they are given back if there is no such run.
    private bool TryTakeRun(int count, int start, LogStream stream, out int segment)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        Debug.Assert(start % SegmentMemory.SizeMin == 0);
        Debug.Assert(start >= 0 && start < SegmentSize);
        Debug.Assert(count > 0);
        segment = FindFreeRun(count);
        if (segment == 0)
        {
            _budget.Add(-BytesOf(count, start));
            return false;
        }

        for (int i = 0; i < count; i++)
        {
            ref var info = ref this[segment + i];
            long word = Volatile.Read(ref info.StateWord);
            Debug.Assert(StateOf(word) == SegmentState.Free, "The run is the caller's alone.");
            int first = i == 0 ? start : 0;
            if (info.Resident != 0)
                Interlocked.Decrement(ref _residentFreeCount);
            if (first > info.Start && info.Resident != 0)
                _segments.Discard(segment, first); // Unused segments are not counted.
            info = new SegmentInfo
            {
                StateWord = word,
                Committed = first,
                Dead = first,
                MinDeadlineMs = long.MaxValue,
                MinMomentMs = long.MaxValue,
                Stream = (short)stream,
                Start = first,
                Resident = 1,
            };
            TryChange(ref info, word, i == 0 ? SegmentState.Active : SegmentState.Continued);
        }

        return true;
    }

    /// <summary>The first of this many free neighbours, or 0.</summary>
    private int FindFreeRun(int count)
    {
        if (Volatile.Read(ref _freeCount) >= count)
        {
            int found = FindFreeRun(count, _searchStart, _frontier);
            if (found == 0)
                found = FindFreeRun(count, 1, _frontier);
            if (found != 0)
            {
                _searchStart = found + count;
                Interlocked.Add(ref _freeCount, -count);
                return found;
            }
        }

        if (_frontier + count > _segments.Count)
            return 0;
        int first = _frontier;
        Volatile.Write(ref _frontier, first + count);
        if (Capacity == SegmentSize)
            _segments.Prefault(first + count, (_budget.LimitBytes - _budget.UsedBytes) / SegmentBytes);
        return first;
    }

    private int FindFreeRun(int count, int from, int to)
    {
        int length = 0;
        for (int segment = from; segment < to; segment++)
        {
            bool free = StateOf(Volatile.Read(ref this[segment].StateWord)) == SegmentState.Free;
            length = free ? length + 1 : 0;
            if (length == count)
                return segment - count + 1;
        }

        return 0;
    }
}
