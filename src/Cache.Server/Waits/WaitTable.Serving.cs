using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Tracking;

namespace Cache.Server.Waits;

internal sealed partial class WaitTable
{
    // As many waiters are served in one go; then another thread goes on, for the clients of this one wait.
    private const int ServedMax = 128;

    // Whether this thread executes a command, which serves when it has ended, or serves.
    [ThreadStatic]
    private static bool _isHeld;

    // Of the thread that serves.
    private readonly CollectingPipeWriter _output = new();
    private readonly RespReplyWriter _reply = new();
    private readonly List<Waiter> _others = [];

    // Under the gate.
    private readonly HashSet<WaitedKey> _putOff = [];
    private int _served;

    // 1 while a thread serves.
    private int _isServing;

    // 1 while a thread of the pool is on its way.
    private int _isPosted;

    /// <summary>Whether a key has changed whose waiters are not served yet.</summary>
    public bool HasReady => Volatile.Read(ref _readyCount) != 0;

    /// <summary>Whether all waiters stand in their queues, and all changes are served; for tests.</summary>
    public bool IsIdle =>
        Volatile.Read(ref _adding) == 0 && !HasReady && Volatile.Read(ref _isServing) == 0
        && Volatile.Read(ref _isPosted) == 0;

    /// <summary>Keeps this thread from serving until <see cref="Unhold"/>: it executes a command.</summary>
    /// <returns>Whether it was not held already, by a command around this one.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)] // While somebody waits.
    public static bool TryHold()
    {
        if (_isHeld)
            return false;
        return _isHeld = true;
    }

    /// <summary>Ends what <see cref="TryHold"/> has begun, and serves.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // As above.
    public void Unhold()
    {
        Debug.Assert(_isHeld);
        _isHeld = false;
        Serve();
    }

    /// <summary>Serves the waiters of the keys that have changed, unless another thread does. Holds no lock.</summary>
    /// <remarks>
    /// Exchanges are fences: a thread that makes a key ready, and finds that another one serves, came before that one's
    /// last look, which then finds the key.
    /// </remarks>
    public void Serve()
    {
        if (_isHeld)
            return; // The command around this one serves.
        if (_databases.IsBusy && _databases.Held is null)
        {
            if (HasReady)
                ServeElsewhere(); // A script that takes long is alone: not even those who serve may write.
            return;
        }

        while (HasReady && Interlocked.CompareExchange(ref _isServing, 1, 0) == 0)
        {
            _isHeld = true;
            bool isDone;
            try
            {
                isDone = ServeReady();
                WaitSteps.Pass();
            }
            finally
            {
                _isHeld = false;
                Interlocked.Exchange(ref _isServing, 0);
            }

            if (isDone)
                continue;
            ServeElsewhere();
            return;
        }
    }

    /// <summary>Lets a thread of the pool serve.</summary>
    private void ServeElsewhere()
    {
        if (Interlocked.Exchange(ref _isPosted, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(static self => self.ServePosted(), this, preferLocal: false);
    }

    private void ServePosted()
    {
        if (!_store.IsDisposed)
            _databases.Visit(static self => ((WaitTable)self).ServeVisited(), this);
    }

    // While a script runs one thread waits for its end, and nobody posts another one.
    private void ServeVisited()
    {
        Interlocked.Exchange(ref _isPosted, 0); // Before it looks: who comes later posts again.
        Serve();
    }

    /// <returns>False if there may be more to do, after others had a turn.</returns>
    private bool ServeReady()
    {
        _served = 0;
        while (TryTakeReady(out var key))
        {
            WaitSteps.Pass();
            for (var kind = EntryKind.String; kind <= EntryKind.Stream; kind++)
            {
                if (TryServe(key, kind))
                    continue;
                lock (_gate)
                    MakeReady(key);
                return false;
            }
        }

        return true;
    }

    private bool TryTakeReady(out WaitedKey key)
    {
        lock (_gate)
        {
            if (!_ready.TryDequeue(out key!))
                return false;
            key.IsReady = false;
            Volatile.Write(ref _readyCount, _ready.Count);
            return true;
        }
    }

    /// <returns>False if the time is over.</returns>
    private bool TryServe(WaitedKey key, EntryKind kind)
    {
        while (FindFirst(key, kind) is { } first)
        {
            if (++_served > ServedMax)
                return false;
            if (TryPutOff(first, key))
                return true;
            var outcome = ServeOne(first, key.Bytes);
            if (outcome == WaitOutcome.Unmet)
                ServeOthers(key, kind, first.Arrival);
            if (outcome != WaitOutcome.Served)
                return true;
        }

        return true;
    }

    // Each has a condition of its own, so all are asked.
    private void ServeOthers(WaitedKey key, EntryKind kind, long arrival)
    {
        lock (_gate)
        {
            for (var place = key.Find(kind)?.First; place is not null; place = place.Next)
            {
                if (place.Waiter.Arrival > arrival)
                    _others.Add(place.Waiter);
            }
        }

        foreach (var waiter in _others)
        {
            if (!TryPutOff(waiter, key))
                ServeOne(waiter, key.Bytes);
        }

        _others.Clear();
    }

    // While a script holds one of its keys, nobody takes anything for it, nor for who came later.
    private bool TryPutOff(Waiter waiter, WaitedKey key)
    {
        if (_databases.Held is not { } held || !waiter.Uses(held))
            return false;
        lock (_gate)
            _putOff.Add(key);
        return _databases.TryNotePutOff();
    }

    /// <summary>Lets those be served who were put off: a script has ended.</summary>
    public void ServePutOff()
    {
        lock (_gate)
        {
            foreach (var key in _putOff)
                MakeReady(key);
            _putOff.Clear();
        }

        if (HasReady)
            ServeElsewhere();
    }

    private Waiter? FindFirst(WaitedKey key, EntryKind kind)
    {
        lock (_gate)
            return key.Find(kind)?.First?.Waiter;
    }

    private WaitOutcome ServeOne(Waiter waiter, byte[] key)
    {
        var suspension = waiter.Client.Suspension;
        if (!suspension.TryClaim(waiter.Suspension))
        {
            Remove(waiter); // It has ended, and is about to leave.
            return WaitOutcome.Served;
        }

        WaitSteps.Pass();
        if (suspension.IsPeerGone?.Invoke() == true) // The sweep sees it within a second; what it gets now is lost.
        {
            Remove(waiter);
            suspension.Release();
            waiter.Client.Kill();
            return WaitOutcome.Served;
        }

        // What it is told of its own element comes behind its reply, what it was told before does not.
        var outbox = waiter.Client.Outbox;
        outbox?.BeginReply();
        var outcome = TryServe(waiter, key);
        WaitSteps.Pass();
        if (outcome != WaitOutcome.Served)
            outbox?.EndReply();
        if (outcome is WaitOutcome.Empty or WaitOutcome.Unmet)
        {
            suspension.Release();
            return outcome;
        }

        Remove(waiter);
        WaitSteps.Pass();
        if (outcome == WaitOutcome.Itself)
            waiter.NoteWoken();
        suspension.EndClaimed();
        return outcome;
    }

    private WaitOutcome TryServe(Waiter waiter, byte[] key)
    {
        var store = _databases[waiter.Database];
        _reply.Begin(_output, waiter.Client.ProtocolVersion);
        KeyTracking.BeginServing(waiter.Client, key);
        bool isNotified = _notifications.IsOn;
        if (isNotified)
            _notifications.Begin(waiter.Events, key, store);
        try
        {
            var outcome = waiter.TryServe(store, key, _reply);
            _reply.End();
            if (outcome == WaitOutcome.Served)
                waiter.NoteServed(_output.Written.ToArray());
            return outcome;
        }
#pragma warning disable CA1031 // Its own command meets the same failure, and tells its client.
        catch (Exception)
#pragma warning restore CA1031
        {
            _reply.End();
            return WaitOutcome.Itself;
        }
        finally
        {
            if (isNotified)
                _notifications.End();
            KeyTracking.EndServing();
            _output.Clear();
        }
    }
}
