using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Hybrid;

/// <summary>One run of a factory for a key, and the calls that wait for it.</summary>
/// <remarks>
/// <code>
///  open ──── the last caller leaves, and it need not go on ────► closed, canceled
///    └────── the value is there, or the factory has failed ────► closed, complete
/// </code>
/// Calls join while it is open. Apart from that it may be superseded: a newer write or removal of the key has taken
/// place, so its value is given to those that wait only. Both are guarded by the gate, which is held
/// while the value is written, so that a removal comes either before the write, and prevents it, or after it. Of a
/// removal by another door the store tells: see <see cref="WatchedKey"/>.
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

    /// <summary>Whether the entry is renewed although it is fresh.</summary>
    public bool IsRefresh { get; init; }

    public Lock Gate { get; } = new();

    /// <summary>What this flight waits for, of those that its factory asked for, and who waits for it.</summary>
    public FlightWait Wait { get; } = new();

    /// <summary>The key in the store, to hear of a removal by any door; null before the flight has begun.</summary>
    public WatchedKey? Watched { get; set; }

    /// <summary>Whether a fresh value is in the store now.</summary>
    public bool IsRenewed { get; set; }

    /// <summary>Of the flights that write this key in the second level, the last to begin; null: this one.</summary>
    public Flight? LaterWriter { get; set; }

    /// <summary>To be read under the gate.</summary>
    public bool IsSuperseded
    {
        get => field || Watched is { IsRemoved: true };
        private set;
    }

    /// <summary>The value as the second level gets it, once it is there; null: it gets none.</summary>
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

    /// <summary>Canceled when no caller waits any more.</summary>
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

    /// <summary>Ends the wait of one caller; the last one to go cancels the factory, unless it goes on.</summary>
    public void Leave()
    {
        lock (Gate)
        {
            if (--_callers > 0 || _goesOn || _isClosed)
                return;
            _isClosed = true;
        }

        _ = _cancellation.CancelAsync(); // What the factory does on cancellation is not the caller's to wait for.
    }

    /// <summary>Lets the factory run to its end, even without callers.</summary>
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

    /// <summary>Whether the factory runs without anybody who must see its failure.</summary>
    protected bool GoesOn
    {
        get
        {
            lock (Gate)
                return _goesOn;
        }
    }

    /// <summary>Lets no further caller join.</summary>
    /// <returns>Whether anybody had.</returns>
    public bool Close()
    {
        lock (Gate)
        {
            _isClosed = true;
            return _wasShared;
        }
    }
}
