using System.Diagnostics;

namespace Cache.Core.Sharding;

/// <summary>Frees the entries of generations that were cleared, some pages of the index at a time.</summary>
/// <remarks>
/// A pass visits every bucket once, and frees the entries that were cleared before the pass began; no such entry is
/// written any more. Entries cleared meanwhile are left to the next pass. The thread that frees holds this gate for a
/// few pages; lock order: the reclaimer's gate, this gate, a growth gate, buckets.
/// </remarks>
internal sealed class ClearedEntries(SharedState state, Shard[] shards)
{
    /// <summary>
    /// The pages of a step. One full of cleared entries takes some 50 µs: a thread that waits for the gate waits for
    /// less than a millisecond.
    /// </summary>
    public const int PagesPerStep = 16;

    private readonly SharedState _state = state;
    private readonly Shard[] _shards = shards;
    private readonly Generations _generations = state.Generations;
    private readonly Lock _gate = new();

    // What the present pass frees, where it stands, and in which shard; guarded by the gate.
    private readonly byte[] _freed = new byte[CacheOptions.KeyspaceCountMax];
    private ScanCursor _cursor;
    private int _shard = -1; // No pass is under way.

    // Written under the gate; read by the sweep: any recent value will do.
    private long _passCount;

    /// <summary>Whether there is anything to free.</summary>
    public bool IsPending => _generations.HasCleared;

    /// <summary>Frees what was cleared until now.</summary>
    public void Free()
    {
        // The pass that is under way may have begun before the last clear.
        long wanted = Volatile.Read(ref _passCount) + 2;
        while (Volatile.Read(ref _passCount) < wanted && TryStep(PagesPerStep))
        {
        }
    }

    /// <summary>Does a bounded part of the work: some pages of the index.</summary>
    /// <returns>False if there was nothing to do.</returns>
    public bool TryStep(int pages)
    {
        if (!IsPending || _state.IsDisposed)
            return false;
        lock (_gate)
        {
            if (_shard < 0 && !TryBeginPass())
                return false;
            Debug.Assert(_shard < _shards.Length, "A pass that has seen all shards has ended.");
            for (int i = 0; i < pages && _shard < _shards.Length; i++)
            {
                if (_shards[_shard].FreeCleared(_freed, ref _cursor))
                    continue;
                if (++_shard < _shards.Length)
                    _cursor = _shards[_shard].ScanStart;
            }

            if (_shard == _shards.Length)
                EndPass();
            return true;
        }
    }

    private bool TryBeginPass()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (!IsPending)
            return false;
        _generations.CopyCleared(_freed);
        _shard = 0;
        _cursor = _shards[0].ScanStart;
        return true;
    }

    private void EndPass()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        _shard = -1;
        Volatile.Write(ref _passCount, _passCount + 1);
        _generations.NoteFreed(_freed);
    }
}
