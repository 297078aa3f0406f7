using System.Diagnostics;
using Cache.Core;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Maps database numbers to keyspaces of the store. Thread-safe.</summary>
/// <remarks>
/// SWAPDB exchanges two numbers, for all clients atomically, and the store knows nothing of it: an operation that had
/// looked up its keyspace before and writes after would be seen in the wrong database. So no command may run at that
/// moment. Threads note their entry and exit by a plain store each; the swap closes the door, makes all processors pass
/// a barrier, and waits until all threads have left. First it waits for long commands, while turns continue; then for
/// turns, while new ones wait. A read needs no interlocked operation for this.
/// Who is alone for a script has said which keys it uses (<see cref="HoldOnly"/>). If that takes longer than
/// <see cref="HoldAloneMax"/> others are let in, and leave these keys: see <see cref="Held"/>.
/// <code>
///  open ── TryBeginAlone ─▶ alone ── TryAdmit ─▶ held ── EndAlone ─▶ open
///                             └── TryKeepAlone ──┴─▶ alone to the end ──▲
/// </code>
/// </remarks>
internal sealed partial class Databases : IWaitedDatabases
{
    // The door admits all, no long stays, or none.
    private const int OpenForAll = (int)DatabaseStay.Long;
    private const int OpenForTurns = (int)DatabaseStay.Short;
    private const int Closed = (int)DatabaseStay.None;

    private const double MillisecondsPerSecond = 1000;

    /// <summary>
    /// How late it is noticed that commands are refused, or not any more: not often enough to cost anything.
    /// </summary>
    public static readonly TimeSpan BusyPoll = TimeSpan.FromMilliseconds(20);

    // How long visitors wait at the door before no script of a loop comes before them: some scripts.
    private static readonly TimeSpan _waitMax = TimeSpan.FromMicroseconds(100);

    // How long a script of a loop waits for the turns of other loops.
    private static readonly TimeSpan _turnMax = TimeSpan.FromMicroseconds(100);

    // How often a script of a loop looks for whom it waits.
    private static readonly TimeSpan _gatePoll = TimeSpan.FromMilliseconds(1);

    private readonly Lock _gate = new();
    private readonly List<DatabaseVisit> _visits = []; // Guarded by itself.
    private CacheStore[] _keyspaces; // Replaced by a swap, never changed.
    private int _door = OpenForAll;
    private int _waitingCount; // Of the visitors that wait at the door.
    private long _waitingSince; // A time stamp: when the first of these began to.
    private readonly Lock _busyLock = new();
    private long _busyAt; // A time stamp; 0: never. See RefuseAfter.
    private bool _isBusy;

    /// <param name="store">The keyspace of database 0 at first.</param>
    public Databases(CacheStore store)
    {
        _keyspaces = new CacheStore[store.KeyspaceCount];
        for (int i = 0; i < _keyspaces.Length; i++)
            _keyspaces[i] = i == 0 ? store : store.SelectKeyspace(i);
    }

    /// <summary>
    /// How long a swap waits for long commands, which end within seconds; other clients continue meanwhile.
    /// </summary>
    public TimeSpan LongWaitMax { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long it, and all clients with it, waits for turns. These end within milliseconds, but a loop may not be
    /// scheduled: on a machine that has too much to do a second was not enough, and a script was refused for it.
    /// </summary>
    public TimeSpan TurnWaitMax { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Whether one thread serves all clients, unless they have long commands: then it waits for a script on another
    /// thread. Several would wait for each other at each script, and their clients with them.
    /// </summary>
    public bool HasOneLoop { get; set; }

    public int Count => _keyspaces.Length;

    /// <summary>Whether no swap is under way.</summary>
    public bool IsOpen => Volatile.Read(ref _door) == OpenForAll;

    /// <summary>The keyspace of a database; it does not change during a visit.</summary>
    public CacheStore this[int database] => Volatile.Read(ref _keyspaces)[database];

    /// <summary>The number of the database that is a keyspace of the store now.</summary>
    public int NumberOf(int keyspace) =>
        Array.FindIndex(Volatile.Read(ref _keyspaces), one => one.Keyspace == keyspace);

    /// <summary>Called before two numbers are exchanged, with the new keyspace of each number; it may refuse.</summary>
    public Func<byte[], bool>? Changing { get; set; }

    /// <summary>Called when two keyspaces change their numbers, while no command is under way.</summary>
    public Action<CacheStore, CacheStore>? Swapped { get; set; }

    /// <summary>Restores the mapping of numbers to keyspaces, before the first command.</summary>
    /// <param name="keyspaces">The keyspace of each number; further numbers keep theirs.</param>
    public void Restore(byte[] keyspaces)
    {
        lock (_gate)
        {
            var restored = (CacheStore[])_keyspaces.Clone();
            for (int i = 0; i < keyspaces.Length; i++)
                restored[i] = Array.Find(_keyspaces, one => one.Keyspace == keyspaces[i])!;
            Volatile.Write(ref _keyspaces, restored);
        }
    }

    /// <summary>The database that a keyspace is at the moment.</summary>
    public int FindDatabase(int keyspace)
    {
        var keyspaces = Volatile.Read(ref _keyspaces);
        int database = 0;
        while (keyspaces[database].Keyspace != keyspace)
            database++;
        return database;
    }

    /// <summary>Calls a method during a visit of its own, on a thread that makes none.</summary>
    public void Visit(Action<object> action, object state)
    {
        var visit = new PassingVisit();
        Add(visit);
        while (!TryPass(visit, DatabaseStay.Short))
        {
            if (!TryAdmit() && _gate.TryEnter(BusyPoll)) // It is no command, which could be refused.
                _gate.Exit();
        }

        try
        {
            action(state);
        }
        finally
        {
            Leave(visit);
            Remove(visit);
        }
    }

    /// <summary>Registers a visit, so that swaps wait for it.</summary>
    public void Add(DatabaseVisit visit)
    {
        lock (_visits)
            _visits.Add(visit);
    }

    /// <summary>Removes a visit.</summary>
    public void Remove(DatabaseVisit visit)
    {
        lock (_visits)
            _visits.Remove(visit);
    }

    /// <summary>
    /// Whether a script takes long: commands are refused until it has ended, or those alone that use what is
    /// <see cref="Held"/>.
    /// </summary>
    public bool IsBusy => Volatile.Read(ref _isBusy);

    /// <summary>
    /// Called by who is alone: from some moment on visits begin in spite of it, and what they would do is refused
    /// (<see cref="IsBusy"/>), until it has ended.
    /// </summary>
    /// <param name="milliseconds">When that begins; 0: never.</param>
    public void RefuseAfter(long milliseconds)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        double ticks = TicksOf(milliseconds);
        if (milliseconds <= 0 || ticks >= long.MaxValue / 2)
            return;
        _refusesAt = TimeProvider.System.GetTimestamp() + (long)ticks;
        Volatile.Write(ref _busyAt, _refusesAt);
    }

    // Not of the store's clock: real threads wait.
    private static double TicksOf(double milliseconds) =>
        milliseconds / MillisecondsPerSecond * TimeProvider.System.TimestampFrequency;

    /// <summary>Begins a visit, after a swap that is under way, or while commands are refused.</summary>
    /// <param name="visit">The visit.</param>
    /// <param name="stay">How long it lasts.</param>
    /// <param name="hasBegun">Whether its command has begun before, and cannot be refused any more.</param>
    /// <returns>False while commands are refused, and its own must not: it has to be tried later.</returns>
    public bool TryEnter(DatabaseVisit visit, DatabaseStay stay, bool hasBegun = false)
    {
        while (!TryEnterUnrefused(visit, stay))
        {
            if (hasBegun)
                return false;
            // Who is alone sees this visit when it has ended, and waits for it the next time; or this sees the end.
            visit.Presence = stay;
            Interlocked.MemoryBarrier();
            if (IsBusy)
                return true;
            visit.Presence = DatabaseStay.None;
        }

        return true;
    }

    // False while commands are refused.
    private bool TryEnterUnrefused(DatabaseVisit visit, DatabaseStay stay)
    {
        if (TryPass(visit, stay))
            return true;
        NoteWaiting();
        bool hasPassed = TryWaitToPass(visit, stay);
        Interlocked.Decrement(ref _waitingCount);
        return hasPassed;
    }

    private void NoteWaiting()
    {
        if (Interlocked.Increment(ref _waitingCount) == 1)
            Volatile.Write(ref _waitingSince, TimeProvider.System.GetTimestamp());
    }

    private bool TryWaitToPass(DatabaseVisit visit, DatabaseStay stay)
    {
        do
        {
            if (TryAdmit())
                continue;
            if (IsBusyByNow())
                return false;
            if (_gate.TryEnter(BusyPoll)) // Held until the other has ended.
                _gate.Exit();
        }
        while (!TryPass(visit, stay));
        return true;
    }

    private bool TryPass(DatabaseVisit visit, DatabaseStay stay)
    {
        // A swap closes the door before its barrier and looks for visits after it: it sees this, or this sees it.
        visit.Presence = stay;
        if (Volatile.Read(ref _door) >= (int)stay)
            return true;
        visit.Presence = DatabaseStay.None;
        return false;
    }

    /// <summary>Ends a visit.</summary>
    public static void Leave(DatabaseVisit visit) => visit.Presence = DatabaseStay.None;

    /// <summary>Exchanges the keyspaces of two numbers.</summary>
    /// <param name="first">A database.</param>
    /// <param name="second">Another one.</param>
    /// <param name="own">The visit of the caller, which is ended and begun again.</param>
    /// <param name="isHeld">Whether a script has let others in, for which this need not wait on its thread.</param>
    /// <returns>False if other clients' commands took too long, or for the script: nothing was done.</returns>
    public bool TrySwap(int first, int second, DatabaseVisit own, out bool isHeld) => TryAlone(own, () =>
    {
        var keyspaces = (CacheStore[])_keyspaces.Clone();
        (keyspaces[first], keyspaces[second]) = (keyspaces[second], keyspaces[first]);
        bool isDone = Changing?.Invoke(NumbersOf(keyspaces)) != false;
        if (isDone)
        {
            Swapped?.Invoke(keyspaces[first], keyspaces[second]);
            Volatile.Write(ref _keyspaces, keyspaces);
        }

        return isDone;
    }, waitsForHeld: false, out isHeld);

    /// <summary>Runs an action while no command of another client is under way.</summary>
    /// <param name="own">
    /// The visit of the caller, which is ended and begun again; it may be alone already. Null: it makes none.
    /// </param>
    /// <param name="action">The action; all clients wait for it.</param>
    /// <returns>False if other clients' commands took too long, or the action returns false.</returns>
    public bool TryAlone(DatabaseVisit? own, Func<bool> action) => TryAlone(own, action, waitsForHeld: true, out _);

    private bool TryAlone(DatabaseVisit? own, Func<bool> action, bool waitsForHeld, out bool isHeld)
    {
        isHeld = false;
        if (_gate.IsHeldByCurrentThread)
            return action();
        if (!TryBeginAlone(own, waitsForHeld, out var stay, out isHeld))
            return false;
        try
        {
            return action();
        }
        finally
        {
            EndAlone(own, stay);
        }
    }

    /// <summary>Waits until no command of another client is under way; new ones wait, or are refused.</summary>
    /// <param name="own">The visit of the caller, which ends. The thread is not alone yet.</param>
    /// <param name="stay">What <see cref="EndAlone"/> begins again.</param>
    /// <returns>False if other clients' commands took too long, or commands are refused: the visit goes on.</returns>
    public bool TryBeginAlone(DatabaseVisit? own, out DatabaseStay stay) =>
        TryBeginAlone(own, waitsForHeld: true, out stay, out _);

    /// <summary>The same, for who need not wait on its thread for a script that has let others in.</summary>
    /// <param name="own">The visit of the caller.</param>
    /// <param name="stay">What <see cref="EndAlone"/> begins again.</param>
    /// <param name="isHeld">Whether it failed for such a script, or did a moment ago.</param>
    public bool TryBeginAlone(DatabaseVisit own, out DatabaseStay stay, out bool isHeld) =>
        TryBeginAlone(own, waitsForHeld: false, out stay, out isHeld);

    /// <summary>
    /// The same on a thread that other clients wait for: only if nobody stays for long. Where there are several such
    /// threads, also only if nobody else is alone, or has waited for that; a single one waits for who is alone.
    /// </summary>
    /// <param name="own">The visit of the caller.</param>
    /// <param name="stay">What <see cref="EndAlone"/> begins again.</param>
    public bool TryBeginAloneAtOnce(DatabaseVisit own, out DatabaseStay stay)
    {
        Debug.Assert(!_gate.IsHeldByCurrentThread);
        stay = own.Presence;
        if (!HasOneLoop && HaveWaited())
            return false;
        Leave(own);
        bool isAlone = false;
        if (TryTakeGateAtOnce())
        {
            try
            {
                isAlone = !HasStay(OpenForTurns) && TryEmpty(Closed, _turnMax);
            }
            finally
            {
                if (!isAlone)
                    Open();
            }
        }

        if (!isAlone)
            _ = TryEnter(own, stay);
        return isAlone;
    }

    // One loop waits for who is alone, as all its clients do; not for who waits for a long command to be alone: those
    // clients go on meanwhile.
    private bool TryTakeGateAtOnce()
    {
        bool isTaken = _gate.TryEnter();
        while (!isTaken && HasOneLoop && !HasStay(OpenForTurns) && !TryAdmit() && Held is null && !IsBusyByNow())
            isTaken = _gate.TryEnter(_gatePoll);
        return isTaken;
    }

    // A thread that runs one script after the other would have the gate again each time before they wake.
    private bool HaveWaited() => Volatile.Read(ref _waitingCount) > 0
        && TimeProvider.System.GetElapsedTime(Volatile.Read(ref _waitingSince)) >= _waitMax;

    private bool TryBeginAlone(DatabaseVisit? own, bool waitsForHeld, out DatabaseStay stay, out bool isHeld)
    {
        isHeld = false;
        Debug.Assert(!_gate.IsHeldByCurrentThread);
        stay = own?.Presence ?? DatabaseStay.None;
        if (own is not null)
            Leave(own);
        bool isAlone = false;
        if (TryTakeGate(waitsForHeld, out isHeld))
        {
            try
            {
                isAlone = TryEmpty(OpenForTurns, LongWaitMax) && TryEmpty(Closed, TurnWaitMax);
            }
            finally
            {
                if (!isAlone)
                    Open();
            }
        }

        if (!isAlone && stay != DatabaseStay.None)
            _ = TryEnter(own!, stay);
        return isAlone;
    }

    /// <summary>Lets the commands of other clients begin, on the thread that was alone.</summary>
    public void EndAlone(DatabaseVisit? own, DatabaseStay stay)
    {
        if (stay != DatabaseStay.None)
            own!.Presence = stay; // Before it opens: whoever is alone next waits until the command has ended.
        Open();

        // Who parks a client meanwhile looks afterwards whether keys are still held.
        if (Interlocked.Exchange(ref _putOffCount, 0) != 0)
            Released?.Invoke();
    }

    // Who entered because commands were refused, and sees that no more, sees all that was done.
    private void Open()
    {
        lock (_busyLock)
        {
            Volatile.Write(ref _busyAt, 0);
            Volatile.Write(ref _refusesAt, 0);
            Volatile.Write(ref _isBusy, false);
            Volatile.Write(ref _admitAt, 0);
            Volatile.Write(ref _held, null);
            _holding = null;
            Volatile.Write(ref _isHindered, false);
        }

        Volatile.Write(ref _door, OpenForAll);
        _gate.Exit();
    }

    private bool TryTakeGate(bool waitsForHeld, out bool isHeld)
    {
        isHeld = false;
        while (!_gate.TryEnter(BusyPoll))
        {
            isHeld = !waitsForHeld && (TryAdmit() || Held is not null);
            if (isHeld || IsBusyByNow())
                return false;
        }

        return true;
    }

    /// <summary>Whether commands are refused by now. Those who wait find it out (<see cref="TryAdmit"/>).</summary>
    public bool IsBusyByNow()
    {
        long busyAt = Volatile.Read(ref _busyAt);
        if (IsBusy || busyAt == 0 || TimeProvider.System.GetTimestamp() < busyAt)
            return IsBusy;
        lock (_busyLock) // Not after the end, by an old look.
        {
            if (Volatile.Read(ref _busyAt) == busyAt)
            {
                Volatile.Write(ref _isBusy, true);
                Volatile.Write(ref _isHindered, true);
            }
        }

        return IsBusy;
    }

    private static byte[] NumbersOf(CacheStore[] keyspaces)
    {
        byte[] numbers = new byte[keyspaces.Length];
        for (int i = 0; i < numbers.Length; i++)
            numbers[i] = (byte)keyspaces[i].Keyspace;
        return numbers;
    }

    /// <summary>Closes the door to longer stays than it allows, and waits until those have left.</summary>
    private bool TryEmpty(int door, TimeSpan waitMax)
    {
        Volatile.Write(ref _door, door);
        Interlocked.MemoryBarrierProcessWide();
        var clock = TimeProvider.System; // Not the store's clock: this waits for real threads.
        long start = clock.GetTimestamp();
        var wait = default(SpinWait);
        while (HasStay(door))
        {
            if (clock.GetElapsedTime(start) > waitMax)
                return false;
            wait.SpinOnce();
        }

        return true;
    }

    private bool HasStay(int door)
    {
        lock (_visits)
        {
            foreach (var visit in _visits)
            {
                if ((int)visit.Presence > door)
                    return true;
            }
        }

        return false;
    }

    private sealed class PassingVisit : DatabaseVisit;
}
