using System.Diagnostics;
using System.Numerics;
using Cache.Core.Changes;
using Cache.Core.Curve;
using Cache.Core.Eviction;
using Cache.Core.Hashing;

namespace Cache.Core.Sharding;

/// <summary>What all views of one store share: the shards, and what works on all of them.</summary>
/// <remarks>
/// The end, while calls may be under way. Only a thread that waits for a bucket asks whether the store was disposed:
/// the fast path of a read or write does not. Disposal sets the flag, locks all buckets as a writer does, and never
/// unlocks them: then no writer is inside, and no reader can confirm what it read. After that the directories name one
/// page of locked buckets, and the memory goes back. A late thread that has the address of a former page finds zeros
/// there, as in any page that was given back, looks at the directory again, waits for a locked bucket, and throws. The
/// addresses are unmapped when the collector finds this object unreachable.
/// </remarks>
internal sealed class StoreState : SharedState, IDisposable, IThreadPoolWorkItem
{
    // As often as Redis by default (hz 10).
    private static readonly TimeSpan _sweepPeriod = TimeSpan.FromMilliseconds(100);

    private readonly ITimer _sweepTimer;
    private readonly Lock _sweepGate = new();
    private readonly Lock _limitGate = new();

    // Written under the gate, read anywhere.
    private long _limitBytes;

    private int _disposals;

    // Of the thread that disposes, then perhaps of one of the pool, which its queue orders.
    private readonly DisposalSteps _disposal = new();

    public StoreState(CacheOptions options, TimeProvider timeProvider, KeyedHash hash)
        : base(options, timeProvider, hash)
    {
        LimitBytes = options.MemoryLimitBytes;
        Shards = new Shard[1 << ShardBits];
        Cleared = new ClearedEntries(this, Shards);
        var ghosts = new GhostTable(LimitBytes, GhostAddressBytes);
        Reclaimer = new Reclaimer(this, Shards, Cleared, ghosts, options.PromotionThreshold);
        for (int i = 0; i < Shards.Length; i++)
            Shards[i] = new Shard(this, Reclaimer, i, ShardBits);
        if (options.EstimatesHitRatios)
            Curve = new HitRatioEstimator(Counters.Samples, LimitBytes, options.PromotionThreshold);
        Changes = new StoreChanges(listeners =>
        {
            foreach (var shard in Shards)
                shard.Listeners = listeners;
            lock (ClearGate) // A clear locks no bucket that would tell it: one that saw others has ended.
            {
            }
        });
        _sweepTimer = timeProvider.CreateTimer(
            static state => ((StoreState)state!).Sweep(), this, _sweepPeriod, _sweepPeriod);
    }

    /// <summary>The limit that the store keeps, as it is told to others.</summary>
    public long LimitBytes
    {
        get => Volatile.Read(ref _limitBytes);
        private set => Volatile.Write(ref _limitBytes, value);
    }

    public Reclaimer Reclaimer { get; }

    public Shard[] Shards { get; }

    public ClearedEntries Cleared { get; }

    public StoreChanges Changes { get; }

    /// <summary>What the store would answer if it were smaller or larger; null if nobody asks.</summary>
    public HitRatioEstimator? Curve { get; }

    /// <summary>
    /// Held by a clear from its look at the listeners to its end, and by a transaction, to keep clears from beginning.
    /// </summary>
    /// <remarks>Taken under buckets: its holder waits for no bucket.</remarks>
    public Lock ClearGate { get; } = new();

    /// <summary>Held while a sweep runs; a later one does nothing.</summary>
    public Lock SweepGate => _sweepGate;

    /// <summary>The listeners to changes; null while there are none.</summary>
    public ChangeListeners? Listeners => Changes.Listeners;

    /// <summary>What no eviction gives back.</summary>
    public long FixedBytes => Reclaimer.FixedBytes;

    public long EntryCount => Shard.CountAll(Shards);

    public EntryKey KeyOf(ReadOnlySpan<byte> key, byte keyspace) => new(key, keyspace, HashOf(key, keyspace));

    public Shard ShardOf(ulong hash) => Shards[ShardIndexOf(hash)];

    /// <summary>The shard that a position of a scan lies in.</summary>
    public Shard ShardAt(uint position) => ShardOf((ulong)position << 32);

    /// <summary>Changes the limit, and returns when it is kept, as far as the policy allows.</summary>
    public void ChangeLimit(long limitBytes)
    {
        Debug.Assert(limitBytes > 0);
        lock (_limitGate)
        {
            // While it is lowered, the former one is what the store keeps. A raised one holds before the segments
            // grow: a few of these would fill the former limit.
            if (limitBytes > LimitBytes)
            {
                LimitBytes = limitBytes;
                Budget.LimitBytes = limitBytes;
                RoomSteps.At(RoomStep.LimitRaised);
            }

            Log.FitTo(limitBytes);
            RecordBytesMax = RecordBytesFor(Log.Capacity);
            RoomSteps.At(RoomStep.SegmentsFitted);
            Reclaimer.ChangeLimit(limitBytes);
            Heap.FitTo(limitBytes);
            LimitBytes = limitBytes;
        }
    }

    /// <summary>Removes all entries of some keyspaces, one bit for each, atomically.</summary>
    /// <remarks>mayWait: Whether the caller holds no lock, and waits for room in the journal.</remarks>
    /// <returns>False if too many earlier clears wait for being freed; or without a wait, for room.</returns>
    public bool TryClear(uint keyspaces, bool mayWait = true)
    {
        // Before: what a factory writes up to the clear goes with it. After: who began to watch in between hears of it.
        Watched.NoteClear(keyspaces);
        if (!TryBeginGenerations(keyspaces, mayWait))
            return false;
        Watched.NoteClear(keyspaces);
        Curve?.Clear(keyspaces);
        return true;
    }

    /// <summary>Lets observers handle the changes they noted; the caller holds no lock.</summary>
    public void DrainChanges() => Listeners?.Drain();

    /// <summary>Lets the curve see what was noted since the last look, unless a sweep does that now.</summary>
    public void TryUpdateCurve()
    {
        if (!_sweepGate.TryEnter()) // Not waited for: the sweep may wait for a bucket of the caller's.
            return;
        try
        {
            if (!IsDisposed)
                UpdateCurve();
        }
        finally
        {
            _sweepGate.Exit();
        }
    }

    private void UpdateCurve()
    {
        Debug.Assert(_sweepGate.IsHeldByCurrentThread, "The disposal waits for it.");
        if (Curve is null)
            return;
        var figures = new CurveFigures
        {
            Hits = Counters.Hits,
            Misses = Counters.Misses,
            LiveBytes = Log.LiveBytes,
            UsedBytes = Budget.UsedBytes,
            LimitBytes = LimitBytes,
            NowMs = Clock.ReadMs(),
        };
        var entries = new SampledEntries(this);
        Curve.Update(figures, ref entries);
        if (Curve.SmallShare is { } share)
            Reclaimer.SmallShare.Choose(share);
        Reclaimer.CountsSizes = Curve.CountsSizes;
    }

    /// <summary>Waits until the journal may have room again; the caller holds no lock.</summary>
    /// <remarks>
    /// The bytes that the caller has taken stay in transit: it will end, and threads that look for room wait for it.
    /// </remarks>
    public void WaitForJournal(long bytes) => Listeners?.Journal?.WaitForRoom(bytes);

    /// <summary>Ends the store. Waits for locks that running calls hold, or gives the memory back later.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposals, 1) != 0)
            return;
        BeginDisposal();
        Changes.EndAll();
        _sweepTimer.Dispose();
        if (!TryClose())
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        _disposal.IsPatient = true;
        TryClose();
    }

    /// <summary>Clears some keyspaces, and tells the listeners.</summary>
    private bool TryBeginGenerations(uint keyspaces, bool mayWait)
    {
        bool isDone;
        while (!(isDone = TryBeginOnce(keyspaces, out long bytes)) && bytes != 0 && mayWait)
            WaitForJournal(bytes);
        if (isDone && Listeners is { } listeners)
        {
            ForEach(keyspaces, keyspace => listeners.Note(
                new ChangeNote { Keyspace = keyspace, Kind = ChangeKind.Clear, Cause = ChangeCause.Cleared }));
            if (mayWait)
                listeners.Drain();
        }

        return isDone;
    }

    /// <returns>False if nothing was done; bytes: what the journal has no room for, if that is why.</returns>
    private bool TryBeginOnce(uint keyspaces, out long bytes)
    {
        bytes = 0;
        lock (ClearGate)
        {
            var recorder = Listeners?.Journal is { } journal ? ChangeRecorder.Rent(journal) : null;
            if (recorder is not null)
                ForEach(keyspaces, keyspace => recorder.Add(ClearOf(keyspace)));
            bool isDone = Generations.TryBegin(keyspaces, recorder, out bool hasRoom);
            if (!hasRoom)
                bytes = recorder!.Bytes;
            if (!isDone)
                recorder?.End();
            return isDone;
        }
    }

    private static ChangeRecord ClearOf(int keyspace) =>
        new() { Kind = ChangeKind.Clear, Keyspace = (byte)keyspace };

    private static void ForEach(uint keyspaces, Action<int> action)
    {
        for (; keyspaces != 0; keyspaces &= keyspaces - 1)
            action(BitOperations.TrailingZeroCount(keyspaces));
    }

    private void Sweep()
    {
        if (!_sweepGate.TryEnter())
            return;
        try
        {
            if (IsDisposed)
                return;
            Reclaimer.Sweep();
            Heap.DropUnasked();
            Objects?.Sweep();
            UpdateCurve();
            DrainChanges();
        }
        catch (ObjectDisposedException) when (IsDisposed)
        {
            // Meanwhile; there is nothing to sweep any more.
        }
        finally
        {
            _sweepGate.Exit();
        }
    }

    /// <summary>Holds all buckets, and gives the memory back.</summary>
    /// <returns>False if another thread held something for too long: to be called again.</returns>
    private bool TryClose()
    {
        Debug.Assert(IsDisposed);
        // A thread that is behind these gates now may read segments; a later one checks the flag first.
        if (!_disposal.TryPass(_sweepGate) || !_disposal.TryPass(Reclaimer.Gate))
            return false;
        for (; _disposal.ShardIndex < Shards.Length; _disposal.ShardIndex++)
        {
            if (!Shards[_disposal.ShardIndex].TryClose(_disposal))
                return false;
            _disposal.Position = 0;
        }

        if (!_disposal.TryHoldObjects(Objects))
            return false;
        Free();
        return true;
    }

    // No call can use what is in it any more.
    private void Free()
    {
        Objects?.ReleaseStubs();
        Heap.Dispose();
        Objects?.Dispose();
        Index.Dispose(); // Before the log: a reader confirms a record by its bucket.
        Log.Dispose();
        Reclaimer.Ghosts.Dispose();
    }

    private readonly struct SampledEntries(StoreState state) : ISampledEntries
    {
        public bool TryFind(ulong hash, out SampledEntry entry) => state.ShardOf(hash).TryDescribe(hash, out entry);
    }
}
