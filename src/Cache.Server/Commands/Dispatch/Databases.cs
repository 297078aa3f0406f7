using Cache.Core;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Which keyspace of the store each number of a database stands for. Thread-safe.</summary>
/// <remarks>
/// SWAPDB exchanges two numbers, for all clients at one moment, and the store knows nothing of it: an operation that
/// had looked up its keyspace before and writes after would otherwise be seen on the wrong side. So no command is under
/// way at that moment. Threads tell that they come and that they leave by a plain store of their own; the swap closes
/// the door, has all processors pass a barrier, and waits until all have left. First for those that take long, while
/// turns go on; then for turns, while whoever comes waits. Nothing is interlocked on the way of a read.
/// </remarks>
internal sealed class Databases
{
    // The door lets all in, no long stays, or nobody.
    private const int Open = (int)DatabaseStay.Long;
    private const int OpenForTurns = (int)DatabaseStay.Short;
    private const int Closed = (int)DatabaseStay.None;

    private readonly Lock _gate = new();
    private readonly List<DatabaseVisit> _visits = []; // Guarded by itself.
    private CacheStore[] _keyspaces; // Replaced by a swap, never changed.
    private int _door = Open;

    /// <param name="store">What database 0 shows at first.</param>
    public Databases(CacheStore store)
    {
        _keyspaces = new CacheStore[store.KeyspaceCount];
        for (int i = 0; i < _keyspaces.Length; i++)
            _keyspaces[i] = i == 0 ? store : store.SelectKeyspace(i);
    }

    /// <summary>How long a swap waits for long commands, which end within seconds; others go on meanwhile.</summary>
    public TimeSpan LongWaitMax { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long it waits for turns, and all clients with it. They end within milliseconds, but a loop may not get a
    /// processor.
    /// </summary>
    public TimeSpan TurnWaitMax { get; set; } = TimeSpan.FromSeconds(1);

    public int Count => _keyspaces.Length;

    /// <summary>Whether no swap is under way.</summary>
    public bool IsOpen => Volatile.Read(ref _door) == Open;

    /// <summary>The keyspace of a database; it stays that during a visit.</summary>
    public CacheStore this[int database] => Volatile.Read(ref _keyspaces)[database];

    /// <summary>Told before two numbers are exchanged, which keyspace each then stands for; it may refuse.</summary>
    public Func<byte[], bool>? Changing { get; set; }

    /// <summary>Lets numbers stand for keyspaces as they did, before the first command asks for one.</summary>
    /// <param name="keyspaces">For each number its keyspace; further ones stay.</param>
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

    /// <summary>Lets visits be waited for from now on.</summary>
    public void Add(DatabaseVisit visit)
    {
        lock (_visits)
            _visits.Add(visit);
    }

    /// <summary>No visit comes any more.</summary>
    public void Remove(DatabaseVisit visit)
    {
        lock (_visits)
            _visits.Remove(visit);
    }

    /// <summary>Begins a visit, after a swap that is under way.</summary>
    public void Enter(DatabaseVisit visit, DatabaseStay stay)
    {
        while (true)
        {
            // A swap closes the door before its barrier and looks for visits behind it: it sees this, or this sees it.
            visit.Presence = stay;
            if (Volatile.Read(ref _door) >= (int)stay)
                return;
            visit.Presence = DatabaseStay.None;
            lock (_gate) // The swap's, until it is done.
            {
            }
        }
    }

    /// <summary>Ends a visit.</summary>
    public static void Leave(DatabaseVisit visit) => visit.Presence = DatabaseStay.None;

    /// <summary>Exchanges what two numbers stand for.</summary>
    /// <param name="first">A database.</param>
    /// <param name="second">Another one.</param>
    /// <param name="own">The visit of the caller, who leaves and comes back.</param>
    /// <returns>False if commands of others took too long to wait for: nothing was done.</returns>
    public bool TrySwap(int first, int second, DatabaseVisit own) => TryAlone(own, () =>
    {
        var keyspaces = (CacheStore[])_keyspaces.Clone();
        (keyspaces[first], keyspaces[second]) = (keyspaces[second], keyspaces[first]);
        bool isDone = Changing?.Invoke(NumbersOf(keyspaces)) != false;
        if (isDone)
            Volatile.Write(ref _keyspaces, keyspaces);
        return isDone;
    });

    /// <summary>Does something while no command of another client is under way.</summary>
    /// <param name="own">The visit of the caller, who leaves and comes back.</param>
    /// <param name="action">What is done; all clients wait for it.</param>
    /// <returns>False if commands of others took too long to wait for, or it says so.</returns>
    public bool TryAlone(DatabaseVisit own, Func<bool> action)
    {
        var stay = own.Presence;
        Leave(own);
        bool isDone;
        lock (_gate)
        {
            try
            {
                isDone = TryEmpty(OpenForTurns, LongWaitMax) && TryEmpty(Closed, TurnWaitMax);
                if (isDone)
                    isDone = action();
            }
            finally
            {
                Volatile.Write(ref _door, Open);
            }
        }

        if (stay != DatabaseStay.None)
            Enter(own, stay);
        return isDone;
    }

    private static byte[] NumbersOf(CacheStore[] keyspaces)
    {
        byte[] numbers = new byte[keyspaces.Length];
        for (int i = 0; i < numbers.Length; i++)
            numbers[i] = (byte)keyspaces[i].Keyspace;
        return numbers;
    }

    /// <summary>Closes the door to stays longer than it says, and waits until those have left.</summary>
    private bool TryEmpty(int door, TimeSpan waitMax)
    {
        Volatile.Write(ref _door, door);
        Interlocked.MemoryBarrierProcessWide();
        var clock = TimeProvider.System; // Not the store's: threads are waited for.
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
}
