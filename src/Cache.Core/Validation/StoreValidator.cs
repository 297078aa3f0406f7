using System.Buffers.Binary;
using Cache.Core.Compression;
using Cache.Core.Layout;
using Cache.Core.Log;
using Cache.Core.Sharding;

namespace Cache.Core.Validation;

/// <summary>Compares a store's counts with its entries and memory. No thread may write meanwhile.</summary>
/// <remarks>For tests: it visits every entry. Throws at the first count that is wrong.</remarks>
internal sealed class StoreValidator
{
    private readonly StoreState _state;
    private readonly ObjectValidator? _objects;
    private readonly SegmentTally[] _tallies;

    // By their addresses; copied entries share a block.
    private readonly HashSet<long> _blocks = [];
    private long _blockBytes;

    // By codec.
    private readonly long[] _packedCounts = new long[PackedValue.CodecCount];
    private long _unpackedBytes;
    private long _packedBytes;

    public StoreValidator(StoreState state)
    {
        _state = state;
        _objects = state.Objects is { } objects ? new ObjectValidator(objects) : null;
        _tallies = new SegmentTally[state.Log.Frontier];
        Array.Fill(_tallies, new SegmentTally { MinDeadlineMs = long.MaxValue, MinMomentMs = long.MaxValue });
    }

    /// <summary>Throws unless a store is consistent; a disposed one has nothing to check.</summary>
    public static void Validate(StoreState state)
    {
        lock (state.SweepGate)
        {
            if (!state.IsDisposed)
                new StoreValidator(state).Validate();
        }
    }

    /// <exception cref="InvalidOperationException">A count or an invariant is wrong.</exception>
    public void Validate()
    {
        _objects?.PrepareAudit();
        foreach (var shard in _state.Shards)
            new ShardValidator(_state, shard, this).Validate();
        long usedSegments = 0;
        long usedBytes = 0;
        for (int segment = 1; segment < _tallies.Length; segment++)
        {
            if (RecordLog.StateOf(_state.Log[segment].StateWord) != SegmentState.Free)
            {
                usedSegments++;
                usedBytes += _state.Log.SegmentSize - _state.Log[segment].Start + SegmentInfo.Size;
            }

            ValidateSegment(segment);
        }

        Require(
            _tallies.Length - 1 - usedSegments == _state.Log.FreeCount, $"{_state.Log.FreeCount} segments seem free");
        _objects?.Validate();
        ValidateBudget(usedBytes);
        ValidatePacked();
    }

    /// <summary>Throws with the statement that is false.</summary>
    public static void Require(bool condition, FormattableString otherwise)
    {
        if (!condition)
            throw new InvalidOperationException($"The store is damaged: {FormattableString.Invariant(otherwise)}.");
    }

    /// <summary>Counts a record that the index points at.</summary>
    public void Note(Record record, RecordHeader header)
    {
        int segment = _state.Log.Space.SegmentOf(record);
        Require(segment > 0 && segment < _tallies.Length, $"an entry points into segment {segment}");
        var state = RecordLog.StateOf(_state.Log[segment].StateWord);
        Require(
            state is SegmentState.Active or SegmentState.Sealed or SegmentState.Claimed,
            $"an entry points into segment {segment}, which is {state}");
        ref var tally = ref _tallies[segment];
        tally.LiveBytes += header.RecordSize;
        if (header.IsLarge)
            tally.LargeBytes += NoteBlock(record.ValueOf(header));
        if (header.IsPaged)
            tally.LargeBytes += _objects?.Note(ObjectStub.Read(record.ValueOf(header)), header.Kind) ?? 0;
        if (header.IsCompressed)
            NotePacked(record.ValueOf(header));
        if (!header.IsExpiring)
            return;
        tally.ExpiringCount++;
        var expiry = record.ExpiryOf(header);
        if (!Deadline.IsOfWall(expiry.DeadlineMs))
            tally.MinDeadlineMs = Math.Min(tally.MinDeadlineMs, expiry.DeadlineMs);
        if (expiry.HasMoment)
            tally.MinMomentMs = Math.Min(tally.MinMomentMs, -expiry.AbsoluteMs);
    }

    private long NoteBlock(ReadOnlySpan<byte> stub)
    {
        long bytes = LargeBlock.ReadStub(stub).SizeBytes;
        if (_blocks.Add(BinaryPrimitives.ReadInt64LittleEndian(stub)))
            _blockBytes += bytes;
        return bytes;
    }

    private void NotePacked(ReadOnlySpan<byte> packed)
    {
        bool isPacked = PackedValue.TryReadPrefix(packed, out var prefix);
        Require(isPacked, $"a compressed value of {packed.Length} bytes has no prefix");
        Require(
            PackedValue.TryUnpack(packed, prefix, _state.Packer.Dictionaries, new byte[prefix.Length]),
            $"a value of codec {prefix.Codec} with {prefix.Length} bytes cannot be decoded");
        _packedCounts[prefix.Codec]++;
        _unpackedBytes += prefix.Length;
        _packedBytes += packed.Length;
    }

    private void ValidatePacked()
    {
        var packed = _state.Log.Packed;
        for (int codec = 0; codec < _packedCounts.Length; codec++)
        {
            Require(
                packed.CountOf(codec) == _packedCounts[codec],
                $"{packed.CountOf(codec)} values of codec {codec} are counted of {_packedCounts[codec]}");
        }

        Require(packed.ValueBytes == _unpackedBytes, $"{packed.ValueBytes} bytes seem compressed of {_unpackedBytes}");
        Require(packed.PackedBytes == _packedBytes, $"{packed.PackedBytes} compressed bytes of {_packedBytes}");
    }

    private void ValidateSegment(int segment)
    {
        ref var info = ref _state.Log[segment];
        ref var tally = ref _tallies[segment];
        var state = RecordLog.StateOf(info.StateWord);
        if (state is SegmentState.Free or SegmentState.Continued)
            return; // No entry points there; its counts are left from a former use.
        Require(
            info.Committed - info.Dead == tally.LiveBytes,
            $"segment {segment} has {info.Committed} bytes, {info.Dead} of them dead, but {tally.LiveBytes} live");
        Require(
            state == SegmentState.Active || info.Committed == info.End,
            $"segment {segment} ends at {info.End}, but {info.Committed} bytes are committed");
        Require(
            info.ExpiringCount == tally.ExpiringCount,
            $"segment {segment} counts {info.ExpiringCount} expiring records of {tally.ExpiringCount}");
        Require(
            info.LargeBytes == tally.LargeBytes,
            $"segment {segment} counts {info.LargeBytes} bytes in blocks of {tally.LargeBytes}");
        Require(
            info.MinDeadlineMs <= tally.MinDeadlineMs,
            $"segment {segment} would be swept at {info.MinDeadlineMs}, not at {tally.MinDeadlineMs}");
        Require(
            info.MinMomentMs <= tally.MinMomentMs,
            $"segment {segment} would be swept at the moment {info.MinMomentMs}, not at {tally.MinMomentMs}");
    }

    private void ValidateBudget(long segmentBytes)
    {
        long bytes = _state.FixedBytes + segmentBytes + _blockBytes + _state.Budget.OutsideBytes
            + (_state.Objects?.UsedBytes ?? 0);
        Require(_state.Budget.UsedBytes == bytes, $"{_state.Budget.UsedBytes} bytes are counted of {bytes}");
    }
}
