using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Hybrid;

/// <summary>One run of a factory for a key, and the calls that wait for it.</summary>
/// <remarks>
/// <code>
///  open ──── the last caller leaves, unless it must finish ────► closed, canceled
///    └────── the value is there, or the factory has failed ────► closed, complete
/// </code>
/// Calls join while it is open. It is superseded by a newer write or removal of the key: then its value goes to the
/// waiting calls and is not stored. The gate guards both states and is held while the value is written: a removal comes
/// either before the write, and prevents it, or after it. The store reports removals that other doors make: see
/// <see cref="WatchedKey"/>. Where something tells of changes of the second level, such a removal keeps the value from
/// being kept here; what was written to the second level stays, since the change may be that write.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The source has no timer or handle, and its token may live on.")]
internal abstract class Flight(string key, HybridCacheEntryFlags sourceFlags, ulong[] tags, bool hasCaller)
{
    private readonly CancellationTokenSource _cancellation = new();
    private int _callers = hasCaller ? 1 : 0;
    private bool _isClosed;
    private bool _goesOn = !hasCaller;
    private bool _wasShared;

    public string Key { get; } = key;

    public HybridCacheEntryFlags SourceFlags { get; } = sourceFlags;

    public ulong[] Tags { get; } = tags;

    /// <summary>When the value was asked for, on the clock of the invalidations, and their epoch then.</summary>
    public required long Stamp { get; init; }

    public required long Epoch { get; init; }

    /// <summary>The generation in which the value was asked for; 0: nothing tells of changes.</summary>
    public ulong CoherenceTag { get; init; }

    /// <summary>Whether the entry is renewed although it is fresh.</summary>
    public bool IsRefresh { get; init; }

    public Lock Gate { get; } = new();

    /// <summary>The flights whose values this flight's factory waits for.</summary>
    public FlightWait Wait { get; } = new();

    /// <summary>
    /// The watch of the key in the store, which notices removals by any door; null before the flight begins.
    /// </summary>
    public WatchedKey? Watched { get; set; }

    /// <summary>Whether a fresh value is in the store now.</summary>
    public bool IsRenewed { get; set; }

    /// <summary>The last flight that began to write this key to the second level; null: this one.</summary>
    public Flight? LaterWriter { get; set; }

    /// <summary>
    /// Whether this process has written or removed the key: the value is to stay nowhere. To be read under the gate.
    /// </summary>
    public bool IsSuperseded
    {
        get => field || CoherenceTag == 0 && Watched is { IsRemoved: true };
        private set;
    }

    /// <summary>
    /// Whether the key was written or removed by anyone: the value is not to be kept here. To be read under the gate.
    /// </summary>
    public bool IsOutdated => IsSuperseded || Watched is { IsRemoved: true };

    /// <summary>The value in the form for the second level, once there is one; null: it gets none.</summary>
    public byte[]? SecondLevelBytes { get; set; }

    public long SecondLevelMs { get; set; }

    public bool IsSupersededNow
    {
        get
        {
            lock (Gate)
                return IsSuperseded;
        }
    }

    public bool IsOutdatedNow
    {
        get
        {
            lock (Gate)
                return IsOutdated;
        }
    }

    /// <summary>Canceled when the last caller has left.</summary>
    public CancellationToken Token => _cancellation.Token;

    public bool TryJoin()
    {
        lock (Gate)
        {
            if (_isClosed || Watched is { IsRemoved: true })
                return false;
            _callers++;
            _wasShared = true;
            return true;
        }
    }

    /// <summary>Ends the wait of one caller; the last one cancels the factory, unless it must finish.</summary>
    public void Leave()
    {
        lock (Gate)
        {
            if (--_callers > 0 || _goesOn || _isClosed)
                return;
            _isClosed = true;
        }

        _ = _cancellation.CancelAsync(); // The caller does not wait for the factory's cancellation.
    }

    /// <summary>Lets the factory finish even without callers.</summary>
    public void GoOn()
    {
        lock (Gate)
            _goesOn = true;
    }

    public void Supersede()
    {
        lock (Gate)
            IsSuperseded = true;
    }

    /// <summary>Whether the factory finishes even without a caller to see its failure.</summary>
    protected bool GoesOn
    {
        get
        {
            lock (Gate)
                return _goesOn;
        }
    }

    /// <summary>Ends joining.</summary>
    /// <returns>Whether any caller has joined.</returns>
    public bool Close()
    {
        lock (Gate)
        {
            _isClosed = true;
            return _wasShared;
        }
    }
}
