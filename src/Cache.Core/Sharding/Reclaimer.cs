using System.Diagnostics;
using Cache.Core.Eviction;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Sharding;

/// <summary>Makes room: takes a segment at a time, copies or evicts what lives in it, and frees it.</summary>
/// <remarks>
/// One thread at a time works at it, a writer that needs room, in steps of a few records: writers near the limit do a
/// step for what they append, so that seldom one waits for a whole segment. Which segment, and what becomes of its
/// records, is S3-FIFO on segments (Yang et al., SOSP'23), with a small list whose share follows the workload: new
/// records enter the small list; from its oldest segment those that were used go to the main list, and from main's
/// oldest those that were used are appended to main again. Small records need a use less for it, long ones one more. A
/// segment with enough dead bytes is compacted instead, which evicts nothing.
/// Lock order: this gate, then a bucket, then the log's gate. No thread that holds a bucket waits for this gate.
/// </remarks>
internal sealed partial class Reclaimer(
    SharedState state, Shard[] shards, ClearedEntries cleared, GhostTable ghosts, int promotionThreshold)
{
    // Copying more than three quarters of a segment to gain the rest costs more than it saves while entries may go.
    private const double CompactShare = 3 / 4.0;

    // Where nothing may go there is no other way; still, a gain of a sixteenth is the least that ends.
    private const double CompactLastShare = 15 / 16.0;

    // A writer reclaims this many times what it appends: a compacted segment gives a quarter back.
    private const int PaceFactor = 4;

    // Segments that may be reclaimed without any gain before room is refused, or the bar is raised.
    private const int GainlessMax = 64;
    private const int GainlessPerFloor = 4;

    // The fraction of a segment that must be freed for its reclaiming to count as a gain.
    private const int GainDivisor = 16;

    // More than any limit.
    private const long NeverEnough = 1L << 60;

    // Hashed and fetched ahead of being looked at.
    private const int BatchSize = 8;

    // Of longer records fewer: a writer's step may compress each of them.
    private const int BatchBytesMax = 16 << 10;

    // What a writer frees of cleared entries before others are evicted: a thousand pages of the index, a few
    // milliseconds unless many of their entries were cleared.
    private const int ClearedStepsMax = 64;

    // Free segments that writers find ready, besides the spare one.
    private const int ReadySegments = 2;

    private readonly SharedState _state = state;
    private readonly Shard[] _shards = shards; // Filled by the caller, before anything is reclaimed.
    private readonly ClearedEntries _cleared = cleared;
    private readonly RecordLog _log = state.Log;
    private readonly MemoryBudget _budget = state.Budget;
    private readonly Lock _gate = new();

    // Of the records that may go; guarded by the gate.
    private UsualSize _usualSize;

    // Written by the sweep, or who asks for the curve; read under the gate: any recent value will do.
    private volatile bool _countsSizes = true;

    // The segment that is being reclaimed, 0 if none, and how far; guarded by the gate.
    private int _victim;
    private int _offset;
    private int _live; // When it was taken.
    private ReclaimMode _mode;
    private bool _victimIsMain;
    private bool _victimWasMoved;

    // How much more use is asked of records for staying, because copying them gained nothing; guarded by the gate.
    private int _floor;
    private int _gainless;
    private int _stayed;

    // Segments since something was gained, if only by several together, and what they gained; guarded by the gate.
    private int _vain;
    private long _smallGains;
    private long _copiedBytes;

    // When there is room for this many bytes it is enough for the holder of the gate: a few records may have blocks of
    // megabytes.
    private long _enoughBytes = NeverEnough;

    // The keys that the holder of the gate must not evict.
    private ulong _keptHash;
    private ulong _otherKeptHash;

    // Written under the gate, read without: whether the last look found nothing to reclaim.
    private long _hopelessSequence = -1;

    /// <summary>Held while the records of a segment are read or moved.</summary>
    public Lock Gate => _gate;

    /// <summary>The bytes of records that were copied to make room; written under the gate.</summary>
    public long CopiedBytes => Volatile.Read(ref _copiedBytes);

    /// <summary>The keys that were evicted last.</summary>
    public GhostTable Ghosts { get; } = ghosts;

    /// <summary>What part of the live bytes the small list may take before it is reclaimed rather than main.</summary>
    public SmallShare SmallShare { get; } = new();

    /// <summary>Whether the size of a record counts when it is to stay.</summary>
    public bool CountsSizes
    {
        get => _countsSizes;
        set => _countsSizes = value;
    }

    /// <summary>How often a new record of the usual size must have been used to stay.</summary>
    public int PromotionThreshold { get; } = promotionThreshold;

    /// <summary>What no eviction gives back.</summary>
    public long FixedBytes => _state.Index.Count * Shard.PageBytes + Ghosts.SizeBytes + _state.Packer.DictionaryBytes
        + (_state.Objects?.Table.Bytes ?? 0);

    private bool IsTight => !_budget.HasRoomFor(ReadyBytes);

    // What writers find free while nothing is tight.
    private long ReadyBytes => _log.SpareBytes + ReadySegments * (long)_log.SegmentBytes;

    /// <summary>Reclaims until this many bytes are free, or nothing more is gained.</summary>
    private bool TryReclaim(long bytes, bool shrinksIndex)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        int steps = 0;
        while (!_budget.HasRoomFor(bytes))
        {
            if (_state.Objects is { } objects && objects.TryFree())
                continue; // Large collections that have gone already.
            // Cleared entries go first. There may be millions to look at: a store that may evict looks at some only.
            if ((steps++ < ClearedStepsMax || _budget.Eviction == EvictionPolicy.None)
                && _cleared.TryStep(ClearedEntries.PagesPerStep))
            {
                continue;
            }

            if (shrinksIndex && TryShrinkIndex())
                continue;
            bool isSpent = !TryStep(_log.SegmentSize) || _vain > GainlessMax;
            if (isSpent)
                _state.Objects?.Pages.FlushCaches();
            if (!isSpent || _budget.HasRoomFor(bytes))
                continue;
            _gainless = _vain = 0;
            return false;
        }

        return true;
    }

    /// <summary>Does a writer's share of the work, if the limit is near and no other thread does it.</summary>
    /// <remarks>What was just written stays: its bytes are the reason.</remarks>
    public void Pace(long bytes, ulong keptHash)
    {
        if (!IsTight || Volatile.Read(ref _hopelessSequence) == _log.Sequence || !_gate.TryEnter())
            return;
        try
        {
            if (_state.IsDisposed || _cleared.TryStep(pages: 1))
                return;
            _keptHash = keptHash;
            _enoughBytes = ReadyBytes; // So many bytes of records may be hundreds of large collections.
            TryStep(bytes * PaceFactor);
        }
        finally
        {
            _keptHash = 0;
            _enoughBytes = NeverEnough;
            _gate.Exit();
        }
    }

    /// <summary>Decides what to do with a live record of the segment that is being reclaimed.</summary>
    /// <param name="frequency">How often it was used.</param>
    /// <param name="bytes">Of the record and its block; 0: its size does not count.</param>
    /// <param name="isExpiring">Whether it has an expiry.</param>
    /// <param name="keep">Whether it stays.</param>
    /// <param name="nextFrequency">The uses that it has then.</param>
    /// <returns>Whether it belongs to main, now or from now on.</returns>
    public bool Decide(int frequency, long bytes, bool isExpiring, out bool keep, out int nextFrequency)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        int more = _mode == ReclaimMode.Compact ? 0 : _usualSize.Look(_countsSizes ? bytes : 0);
        int promotion = _floor + Math.Clamp(PromotionThreshold + more, 1, CacheOptions.PromotionThresholdMax);
        switch (_mode)
        {
            case ReclaimMode.Compact:
                keep = true;
                nextFrequency = frequency;
                return _victimIsMain;
            case ReclaimMode.EvictSmall:
                keep = frequency >= promotion;
                nextFrequency = 0;
                return keep;
            case ReclaimMode.EvictMain:
                keep = frequency > _floor + Math.Max(0, more);
                nextFrequency = Math.Max(0, frequency - 1);
                return true;
            default:
                keep = !isExpiring || frequency >= promotion;
                nextFrequency = isExpiring ? 0 : frequency;
                return true;
        }
    }

    /// <summary>Counts a record that was copied.</summary>
    public void NoteCopied(int size)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        Debug.Assert(size >= RecordHeader.Size);
        Volatile.Write(ref _copiedBytes, _copiedBytes + size);
    }

    /// <summary>Whether a new key was evicted lately, and hence belongs to main.</summary>
    public bool TakeGhost(ulong hash, int size)
    {
        if (!Ghosts.TryTake(hash, out bool wasInMain))
            return false;
        SmallShare.Learn(wasInMain, (double)size / _budget.LimitBytes);
        return true;
    }

    /// <summary>Whether the policy, and the thread that needs room, allow evicting an entry.</summary>
    public bool MayEvict(ulong hash, bool isExpiring) => !IsKept(hash) && AllowsEviction(isExpiring);

    /// <summary>Whether the policy allows evicting an entry.</summary>
    public bool AllowsEviction(bool isExpiring) => _budget.Eviction switch
    {
        EvictionPolicy.AllEntries => true,
        EvictionPolicy.ExpiringEntries => isExpiring,
        _ => false,
    };

    /// <summary>Whether the thread that needs room needs this entry too.</summary>
    public bool IsKept(ulong hash) => hash != 0 && (hash == _keptHash || hash == _otherKeptHash);

    private Shard ShardOf(ulong hash) => _shards[_state.ShardIndexOf(hash)];

    /// <summary>Continues with the segment that is being reclaimed, or takes the next one.</summary>
    /// <returns>False if there is none.</returns>
    private bool TryStep(long bytes)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (_victim == 0 && !TryChoose())
        {
            Volatile.Write(ref _hopelessSequence, _log.Sequence);
            return false;
        }

        int end = _log[_victim].End;
        bool looks = _mode == ReclaimMode.RemoveExpired;
        long stop = Math.Min(end, _offset + Math.Max(1, looks ? bytes * LookFactor : bytes));
        if (looks)
            LookForExpired(stop);
        while (_offset < stop && !_budget.HasRoomFor(_enoughBytes))
        {
            RoomSteps.At(RoomStep.Reclaims);
            ReclaimBatch((int)Math.Min(end, Math.Max(stop, _offset + BatchBytesMax)));
        }

        if (_offset < end)
            return true;
        if (looks)
            NoteLook(end);
        else
            NoteGain(end);
        _log.Unclaim(_victim);
        _victim = 0;
        return true;
    }

    /// <summary>Continues with the segment that is being reclaimed while no thread needs room.</summary>
    /// <remarks>What this gains, or not, says nothing to who will.</remarks>
    private void StepUncounted(long bytes)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        (int gainless, int floor, int vain, long smallGains) = (_gainless, _floor, _vain, _smallGains);
        TryStep(bytes);
        (_gainless, _floor, _vain, _smallGains) = (gainless, floor, vain, smallGains);
    }

    private void ReclaimBatch(int end)
    {
        Span<ulong> hashes = stackalloc ulong[BatchSize];
        int first = _offset;
        int offset = first;
        int count = 0;
        for (; count < BatchSize && offset < end; count++)
        {
            var record = _log.Space.At(_victim, offset);
            var header = record.Header;
            offset += header.RecordSize;
            hashes[count] = header.IsDead ? 0 : _state.HashOf(record);
            if (!header.IsDead)
                ShardOf(hashes[count]).PrefetchBucket(hashes[count]);
        }

        for (int i = 0; i < count && !_budget.HasRoomFor(_enoughBytes); i++)
        {
            var record = _log.Space.At(_victim, _offset);
            var header = record.Header;
            _offset += header.RecordSize;
            Debug.Assert(header.RecordSize >= RecordHeader.Size);
            if (!header.IsDead)
                _stayed += ShardOf(hashes[i]).Reclaim(record, hashes[i], this);
            FreeObjects();
        }
    }

    // What a large collection leaves is room only when its pages are freed.
    private void FreeObjects()
    {
        if (_state.Objects is not { } objects)
            return;
        while (!_budget.HasRoomFor(_enoughBytes) && objects.TryFree())
        {
        }
    }

    // Copying everything frees nothing: then more use is asked for, until something goes. A segment in which anything
    // stays is not freed either, so of that one only what was evicted is a gain, and the others come before it again.
    private void NoteGain(int end)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        Debug.Assert(_stayed >= 0 && _live >= 0);
        _looks = 0;
        ref var info = ref _log[_victim];
        bool isEmpty = Volatile.Read(ref info.Dead) == info.Committed;
        int length = end - info.Start;
        int gain = (isEmpty ? length : _live) - _stayed;
        if (!isEmpty)
            _log.Rejuvenate(_victim);
        NoteGainInSum(gain, length);
        if (gain >= LeastGainOf(length))
        {
            _gainless = 0;
            _floor = 0;
        }
        else if (++_gainless % GainlessPerFloor == 0)
        {
            _floor++;
        }
    }

    // Where few records of each segment may go, it takes many segments to gain one; still, there is an end to it.
    private void NoteGainInSum(int gain, int length)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        Debug.Assert(gain <= length, "No more goes than there was.");
        _vain++;
        _smallGains += Math.Max(0, gain);
        if (_smallGains >= LeastGainOf(length))
            _smallGains = _vain = 0;
    }

    // Of a segment with one short record as well: no gain at all is none.
    private static int LeastGainOf(int length) => Math.Max(1, length / GainDivisor);
}
