using System.Diagnostics;

namespace Cache.Core;

/// <summary>What its memory is used for.</summary>
public sealed partial class CacheStore
{
    /// <summary>
    /// The longest that one write of any keyspace has waited for memory since this was called last: while entries were
    /// evicted for it, or for other threads that did so. Zero if none has. For one caller, now and then: a server of
    /// the store calls it each second while its latency-monitor-threshold is above 0. Of a store that was disposed
    /// too. Thread-safe.
    /// </summary>
    public TimeSpan TakeLongestWaitForMemory() => _state.Reclaimer.TakeLongestTaking();

    /// <summary>
    /// What the memory of all keyspaces is used for. Looks at some words for each two megabytes of the limit: to be
    /// asked for now and then. Thread-safe.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The store was disposed.</exception>
    public StoreMemory GetMemory()
    {
        ThrowIfDisposed();
        var reclaimer = _state.Reclaimer;
        long ghosts = reclaimer.Ghosts.SizeBytes;
        long dictionaries = _state.Packer.DictionaryBytes;
        var objects = _state.Objects;
        long table = objects?.Table.Bytes ?? 0;
        var (live, all) = _state.Log.SumSegments();
        Debug.Assert(live >= 0, "No segment has more dead bytes than committed ones.");
        return new StoreMemory
        {
            Index = Math.Max(0, reclaimer.FixedBytes - ghosts - dictionaries - table),
            Ghosts = ghosts,
            Dictionaries = dictionaries,
            Records = live,
            Dead = Math.Max(0, all - live),
            Blocks = _state.BlockBytes,
            Collections = objects is null ? 0 : table + objects.Pages.UsedBytes + objects.LongElements.Bytes,
            Outside = _state.Budget.OutsideBytes,
            Free = _state.Log.ResidentFreeBytes + _state.Log.AheadBytes + _state.Index.AheadBytes
                + _state.Heap.SpareBytes + (objects?.Pages.SpareBytes ?? 0),
        };
    }
}
