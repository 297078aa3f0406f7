using System.Diagnostics;
using Cache.Core.Compression;
using Cache.Core.Eviction;
using Cache.Core.Expiry;
using Cache.Core.Layout;
using Cache.Core.Log;
using Cache.Core.Packing;

namespace Cache.Core.Sharding;

/// <summary>
/// The sweep that a timer drives: expired records, sparse segments, unused memory. Writers that need room look for what
/// has expired since, before what lives is evicted, or a write is refused.
/// </summary>
internal sealed partial class Reclaimer
{
    // A writer that waits for the gate waits for at most this many segments.
    private const int SparsePerSweepMax = 4;

    // A segment that is nine tenths dead is worth compacting before room is needed.
    private const double SparseShare = 0.1;

    // Free segments that keep their memory: enough for a burst of writers.
    private const int KeptFreeSegments = 8;

    // Growth or shrinkage of the store at which the table of ghosts is resized, and forgets.
    private const int GhostToleranceDivisor = 4;

    // The records that a sweep looks at in vain: some milliseconds of each tenth of a second. Each that has expired
    // pays for others, so that at most one in so many has expired and is there.
    private const int LooksInVainMax = 1 << 20;
    private const int LooksPerExpired = 16;

    // So many keys of hashes of a segment at a time: others are met by the next sweep.
    private const int SweptKeyBytesMax = 64 << 10;

    // Looking at a record takes some nanoseconds where moving it takes a hundred.
    private const int LookFactor = 4;

    // Segments that a writer looks through for each that gives room.
    private const int LooksMax = 4;

    // The part of what a sweep looks at that writers do where nothing may be evicted: about a millisecond.
    private const int WritersShareDivisor = 4;

    // Used by the thread that sweeps, of which there is one: where the last sweep ended, and what it met.
    private readonly List<(byte[] Key, byte Keyspace)> _sweptHashes = [];
    private int _sweptKeyBytes;
    private int _sweptLast;

    // Of what a writer looks through, all guarded by the gate. The mark of segments that it was since the last sweep.
    private byte _lookRound = 1;

    // Where the last sweep ended: what comes after was not swept for the longest time.
    private int _lookStart;

    // Segments that were looked through since one gave room or was reclaimed.
    private int _looks;

    // Of a segment in work: the bytes in blocks that it had.
    private long _lookedLargeBytes;

    // Where nothing may be evicted: records and lines of segments that writers may still look at until the next sweep.
    private long _looksLeft = LooksInVainMax / WritersShareDivisor;

    private bool _hasSealedDue;

    /// <summary>The records that a sweep looks at in vain; tests set less.</summary>
    public int LooksInVain { get; set; } = LooksInVainMax;

    /// <summary>Removes expired fields of a key; set by what writes collections, which lies above the shards.</summary>
    /// <remarks>False if nothing can be removed now.</remarks>
    public Func<byte[], byte, bool>? FieldRemover { get; set; }

    /// <summary>Removes what has expired, in the segments in which something has.</summary>
    public void Sweep()
    {
        _cleared.Free();
        var now = _state.Clock.Now;
        KeepLimit();
        PutVictimBack();
        _log.SealActive(now);
        SweepDue(now);
        CompactSparse();
        TryMergePages();
        _log.DiscardFree(KeptFreeSegments);
        ResizeGhosts();
        TendDictionaries();
    }

    // What is held outside grows without asking, and perhaps no write comes that would make entries go for it. A writer
    // that waits for the gate waits for one segment.
    private void KeepLimit()
    {
        bool goesOn = _budget.Eviction != EvictionPolicy.None;
        while (goesOn && !_budget.HasRoomFor(0))
        {
            using (EnterGate())
            {
                _enoughBytes = 0;
                goesOn = TryStep(_log.SegmentSize) && _vain <= GainlessMax;
                _enoughBytes = NeverEnough;
                if (!goesOn)
                    _gainless = _vain = 0;
            }
        }
    }

    // A segment that is half reclaimed, and that no thread needs now, must be swept like any other.
    private void PutVictimBack()
    {
        using (EnterGate())
        {
            if (_victim == 0)
                return;
            if (!_victimWasMoved) // The rest of it was not looked at.
                _log[_victim].Stream &= (short)~LogStream.Moved;
            _log.Unclaim(_victim);
            _victim = 0;
        }
    }

    // Where deadlines lie scattered every segment is due at each sweep, for a few records: then a sweep is a part of a
    // round.
    private void SweepDue(ClockReading now)
    {
        int frontier = _log.Frontier;
        long looks = LooksInVain;
        for (int i = 1; i < frontier && looks > 0; i++)
        {
            _sweptLast = _sweptLast + 1 < frontier ? _sweptLast + 1 : 1;
            if (!_log.IsDue(_sweptLast, now) || !_log.TryClaim(_sweptLast))
                continue;
            looks -= SweepSegment(_sweptLast, now);
            _log.Unclaim(_sweptLast);
            RemoveExpiredFields();
        }

        BeginLooks(_sweptLast);
    }

    /// <returns>How many records it looked at beyond those that the expired ones pay for.</returns>
    private long SweepSegment(int segment, ClockReading now)
    {
        _log.ResetDeadlines(segment);
        long looks = 0;
        int end = _log[segment].End;
        for (int offset = _log[segment].Start; offset < end; looks++)
        {
            var record = _log.Space.At(segment, offset);
            var header = record.Header;
            offset += header.RecordSize;
            if (header.IsDead)
                continue;
            if (header.Kind == EntryKind.Hash && HasExpiredFields(segment, record, header))
                looks -= LooksPerExpired;
            if (!header.IsExpiring)
                continue;
            var expiry = record.ExpiryOf(header);
            if (!expiry.IsPast(now.StoreMs, now.UnixMs))
            {
                _log.LowerDeadlines(segment, expiry);
                continue;
            }

            RemoveIfDue(record);
            looks -= LooksPerExpired;
        }

        return looks;
    }

    private void RemoveIfDue(Record record)
    {
        ulong hash = _state.HashOf(record);
        ShardOf(hash).RemoveIfDue(record, hash);
    }

    /// <returns>Whether fields of it will be removed.</returns>
    private bool HasExpiredFields(int segment, Record record, RecordHeader header)
    {
        long firstMs = Shard.FirstMomentOf(_state, record, header);
        if (firstMs == 0)
            return false;
        bool isRemoved = firstMs <= _state.Fields.NowMs && _sweptKeyBytes < SweptKeyBytesMax;
        if (isRemoved)
        {
            _sweptHashes.Add((record.KeyOf(header).ToArray(), (byte)header.Keyspace));
            _sweptKeyBytes += header.KeyLength;
        }

        _log.LowerMoment(segment, firstMs); // Also if it is removed now: perhaps not all of it.
        return isRemoved;
    }

    // After the claim: a write may need room.
    private void RemoveExpiredFields()
    {
        foreach (var (key, keyspace) in _sweptHashes)
        {
            if (FieldRemover?.Invoke(key, keyspace) == false)
                break; // Each attempt costs an exception.
        }

        _sweptHashes.Clear();
        _sweptKeyBytes = 0;
    }

    /// <summary>After a sweep each segment may be looked through once more.</summary>
    private void BeginLooks(int start)
    {
        using (EnterGate())
        {
            _lookRound = (byte)(_lookRound % byte.MaxValue + 1); // 0: of a segment that was taken since.
            _lookStart = start;
            _looksLeft = Math.Max(1, LooksInVain / WritersShareDivisor);
            _hasSealedDue = false;
        }
    }

    private void BeginLook(int segment)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        _log[segment].LookRound = _lookRound;
        _lookedLargeBytes = Volatile.Read(ref _log[segment].LargeBytes);
        _looksLeft -= _log.Frontier; // For the choice of it.
    }

    /// <summary>Looks through some bytes of the segment in work for what has expired, until there is enough.</summary>
    /// <remarks>The next sweep computes its deadlines again.</remarks>
    private void LookForExpired(long stop)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        Debug.Assert(_mode == ReclaimMode.RemoveExpired);
        var now = _state.Clock.Now;
        while (_offset < stop)
        {
            _looksLeft--;
            RoomSteps.At(RoomStep.Reclaims);
            var record = _log.Space.At(_victim, _offset);
            var header = record.Header;
            _offset += header.RecordSize;
            if (header.IsDead || !header.IsExpiring || !record.ExpiryOf(header).IsPast(now.StoreMs, now.UnixMs))
                continue;
            RemoveIfDue(record);
            FreeObjects();
            if (_budget.HasRoomFor(_enoughBytes))
                return; // A few records may have blocks of megabytes.
        }
    }

    private void NoteLook(int end)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        ref var info = ref _log[_victim];
        bool isEmpty = Volatile.Read(ref info.Dead) == info.Committed;
        long freed = _lookedLargeBytes - Volatile.Read(ref info.LargeBytes);
        _looks = isEmpty || freed >= LeastGainOf(end - info.Start) ? 0 : _looks + 1;
    }

    /// <summary>
    /// Whether a segment is to be looked through before what lives in another is evicted, or a write is refused.
    /// </summary>
    private bool IsToBeLookedThrough(int segment, ClockReading now) => _log[segment].LookRound != _lookRound
        && (_budget.Eviction == EvictionPolicy.None ? _looksLeft > 0 : _looks < LooksMax) && _log.IsDue(segment, now);

    /// <summary>Seals active segments in which something has expired, once between two sweeps.</summary>
    /// <remarks>
    /// Of a store of large values they may have a large part of its memory. Where something else can go, the others
    /// are not worth a segment that is half empty.
    /// </remarks>
    private bool TrySealDue()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        long leastLargeBytes = _budget.Eviction == EvictionPolicy.None ? 0 : _log.SegmentBytes;
        if (_hasSealedDue || !_log.TrySealActive(_state.Clock.Now, leastLargeBytes))
            return false;
        _hasSealedDue = true;
        return true;
    }

    private void CompactSparse()
    {
        for (int i = 0; i < SparsePerSweepMax; i++)
        {
            using (EnterGate())
            {
                if (_victim != 0 || !TryChooseSparse())
                    return;
                StepUncounted(_log.SegmentSize);
            }
        }
    }

    private bool TryChooseSparse()
    {
        var candidates = Survey();
        if (candidates.Emptiest == 0 || candidates.EmptiestShare > SparseShare
            || !_log.TryClaim(candidates.Emptiest))
        {
            return false;
        }

        Take(candidates.Emptiest, ReclaimMode.Compact);
        return true;
    }

    /// <summary>Makes the ghosts while there is room for them: when half of the limit is used.</summary>
    public void PrepareGhosts(ulong keptHash, ulong otherKeptHash)
    {
        long used = _budget.UsedBytes;
        if (Ghosts.SizeBytes != 0 || used < _budget.LimitBytes / 2 || _budget.Eviction != EvictionPolicy.AllEntries)
            return;
        long wanted = Ghosts.SizeOf((long)((double)Shard.CountAll(_shards) * _budget.LimitBytes / used));
        // There is less room than that where the policy, or the limit, was another until now.
        if (!MakeRoom(wanted, keptHash, otherKeptHash))
            return;
        using (EnterGate())
        {
            if (Ghosts.SizeBytes == 0)
                SetGhosts(wanted);
        }
    }

    // One ghost per entry: about the number of entries in main.
    private void ResizeGhosts()
    {
        long present = Ghosts.SizeBytes;
        long wanted = Ghosts.SizeOf(Shard.CountAll(_shards));
        if (present == 0 || Math.Abs(wanted - present) <= wanted / GhostToleranceDivisor)
            return;
        if (wanted > present && !MakeRoom(wanted - present, 0, 0))
            return;
        using (EnterGate())
            SetGhosts(wanted);
    }

    private void SetGhosts(long bytes)
    {
        _budget.Add(bytes - Ghosts.SizeBytes);
        Ghosts.Resize(bytes);
    }

    // Starts the training of a dictionary, uses a trained one, and forgets those that no value needs.
    private void TendDictionaries()
    {
        var packer = _state.Packer;
        if (packer.IsIdle)
            return;
        using (EnterGate())
        {
            _budget.Add(-packer.ForgetUnneeded());
            TendTraining(packer);
        }

        UseTrained(packer);
    }

    /// <summary>Lets a value of a load be a sample, and makes a dictionary once there are enough.</summary>
    /// <remarks>
    /// What was compressed before a restart has no room as it was written, and a load meets the limit before the sweep
    /// and a thread of low priority would have a dictionary.
    /// </remarks>
    public void OfferLoaded(ReadOnlySpan<byte> value)
    {
        var packer = _state.Packer;
        if (!packer.WantsLoaded(value.Length))
            return;
        try
        {
            RoomSteps.At(RoomStep.PackingNeedsMemory);
            DictionarySamples? samples;
            using (EnterGate())
                samples = packer.OfferLoaded(value);
            if (samples is null)
                return;
            packer.Train(samples);
            UseTrained(packer);
        }
        catch (OutOfMemoryException)
        {
            EndLoaded(mayComeAgain: false);
        }
    }

    /// <summary>As <see cref="ValuePacker.EndLoaded"/>.</summary>
    public void EndLoaded(bool mayComeAgain)
    {
        using (EnterGate())
            _state.Packer.EndLoaded(mayComeAgain);
    }

    private void UseTrained(ValuePacker packer)
    {
        if (!packer.HasTrained || !MakeRoom(Lz4Dictionary.SizeMax, 0, 0))
            return;
        using (EnterGate())
        {
            if (!packer.HasTrained) // A load and the sweep may both come with one.
                return;
            _budget.Add(Lz4Dictionary.SizeMax);
            packer.UseTrained();
        }
    }

    // Without memory, or with as many threads as the system allows, there is no dictionary, and values stay longer.
    private static void TendTraining(ValuePacker packer)
    {
        try
        {
            RoomSteps.At(RoomStep.PackingNeedsMemory);
            packer.TendTraining();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            // Thrown on, it would end the process.
        }
    }
}
