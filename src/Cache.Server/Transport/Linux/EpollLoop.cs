using System.Collections.Concurrent;
using System.ComponentModel;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Cache.Server.Transport.Linux;

/// <summary>
/// A thread that waits for the sockets of its connections and moves their bytes. A connection stays on its loop; the
/// loop may get another thread.
/// </summary>
/// <remarks>
/// Algorithm: level-triggered epoll; one receive for each readiness, so that a connection that never pauses cannot
/// starve the others; interest in writing only while a send is unfinished. Continuations of a connection's reads run
/// inline on this thread. Concurrency: the table of connections belongs to the loop's thread; other threads post work
/// and wake the loop with an eventfd. The system reuses descriptors, so an event carries the number under which the
/// connection was added, and an event for an unknown number is dropped. The loop's own descriptors are written to only
/// under <see cref="_posting"/> and before <see cref="_ended"/>, since their numbers are reused too.
/// </remarks>
internal sealed class EpollLoop : IDisposable
{
    /// <summary>
    /// The bytes of one receive, and so of one connection's turn: a few usual batches. With more, a flood would take
    /// more of the loop's time.
    /// </summary>
    public const int ReceiveBytes = 16 * 1024;

    /// <summary>
    /// The bytes of one receive of a connection whose next request is likely long: such a request, whole.
    /// </summary>
    public const int LongReceiveBytes = FillingPipeReader.LongBytesMax;

    /// <summary>
    /// The bytes that a loop sends between two waits before each further connection may send only a little, about two
    /// milliseconds: a hundred that each send a megabyte would delay the others by a tenth of a second.
    /// </summary>
    public const int RoundBytes = 2 * 1024 * 1024;

    /// <summary>
    /// The bytes of one receive if the round has taken long already: sixteen kilobytes of PING are 2,700 commands, and
    /// a hundred clients that send this at once would delay the others by 40 ms.
    /// </summary>
    public const int CrowdedReceiveBytes = 2 * 1024;

    // The clock is read once per this many connections of a round: a round of fewer is short anyway.
    private const int EventsPerLook = 4;

    // Enough for one wait to serve many busy connections; more would only lengthen the round.
    private const int EventCountMax = 256;

    // The loop's frames are shallow, but a handler runs on it.
    private const int StackBytes = 1 << 20;

    private const ulong WakeNumber = 0;

    // Numbers of listening sockets begin here: those of connections do not have the bit.
    private const ulong AcceptorNumber = 1UL << 63;

    // The usual number of connections that other threads serve at once; further buffers are newly made.
    private const int SpareBuffersMax = 8;
    private const int SpareLongBuffersMax = 1;

    // The posted work of one round: each item may send, for some microseconds; ten thousand would delay all
    // connections.
    private const int WorkPerRound = 64;

    // After this time in a round, each further connection may do only a little.
    private static readonly TimeSpan _roundTime = TimeSpan.FromMilliseconds(4);

    private readonly EpollEvents _events = new(EventCountMax);
    private readonly ConnectionSlots _connections = new();
    private readonly Lock _posting = new();
    private readonly Queue<(EpollConnection Connection, bool Adds)> _posted = new();
    private readonly Queue<(Action<object> Work, object State)> _work = new();
    private readonly ConcurrentDictionary<ulong, Action> _acceptors = new();
    private readonly string _name;
    private readonly Func<bool>? _tryWatch;

    // Guards the change of threads: the thread, its term, and since when it does what may take long (a time stamp).
    private readonly Lock _changing = new();
    private Thread _thread;
    private int _term;
    private long _longSince;
    private readonly int _epoll;
    private readonly int _wake;
    private ulong _lastAcceptor = AcceptorNumber;
    private int _turn;
    private long _roundBytes;

    // The event at which a round begins: the first ones may do more, and the system lists them in the same order.
    private uint _rounds;
    private volatile bool _measuresRounds;
    private long _longestRound;
    private volatile bool _stopping;
    private bool _ended;

    // Whether the thread itself has posted work in this round, which it executes at the round's end without a wake.
    private bool _hasOwnWork;

    /// <param name="name">Of its thread.</param>
    /// <param name="tryWatch">
    /// Makes somebody watch it who gives it another thread (<see cref="TryChangeThread"/>); null: nobody does.
    /// </param>
    public EpollLoop(string name, Func<bool>? tryWatch = null)
    {
        (_name, _tryWatch) = (name, tryWatch);
        _epoll = ThrowIfFailed(LinuxCalls.EpollCreate(LinuxCalls.CloseOnExec));
        _wake = ThrowIfFailed(LinuxCalls.EventDescriptor(0, LinuxCalls.NonBlocking | LinuxCalls.CloseOnExec));
        ThrowIfFailed(Control(LinuxCalls.ControlAdd, _wake, LinuxCalls.EventIn, WakeNumber));
        _thread = NewThread();
        _thread.Start();
    }

    /// <summary>Connections that were added and not yet removed; a recent value, from any thread.</summary>
    public int Count { get; private set; }

    /// <summary>
    /// The number of the present turn of a connection; changes with each turn. Any thread, perhaps a moment old.
    /// </summary>
    public int Turn => Volatile.Read(ref _turn);

    /// <summary>
    /// Whether much was sent since the last wait, or much time has passed: then each further connection does only a
    /// little. Any thread; perhaps a moment old, or of the previous round.
    /// </summary>
    public bool IsRoundFull => Volatile.Read(ref _roundBytes) >= RoundBytes;

    /// <summary>
    /// The buffer for receives; lent to a connection while its owner reads the bytes. The loop's thread.
    /// </summary>
    public LoopBuffer Buffer { get; } = new(ReceiveBytes, SpareBuffersMax);

    /// <summary>The same for the receives of a connection whose next request is likely long.</summary>
    public LoopBuffer LongBuffer { get; } = new(LongReceiveBytes, SpareLongBuffersMax);

    /// <summary>
    /// The longest round since this was asked last: so long has an event waited that came at its beginning. Any thread.
    /// </summary>
    /// <param name="goesOn">Whether rounds are measured from now on; they are not at first.</param>
    public TimeSpan TakeLongestRound(bool goesOn)
    {
        _measuresRounds = goesOn;
        return TimeProvider.System.GetElapsedTime(0, Interlocked.Exchange(ref _longestRound, 0));
    }

    /// <summary>Whether this is the loop's thread.</summary>
    public bool IsHere => Thread.CurrentThread == Volatile.Read(ref _thread);

    /// <summary>Since when the thread does what may take long, as a time stamp; 0: it does not. Any thread.</summary>
    public long LongSince => Volatile.Read(ref _longSince);

    /// <summary>Begins something that may take long: the loop gets another thread then.</summary>
    /// <returns>False if this is not its thread, or it would get none.</returns>
    public bool TryBeginLong()
    {
        if (_tryWatch is null || !IsHere)
            return false;
        Volatile.Write(ref _longSince, TimeProvider.System.GetTimestamp());
        if (_tryWatch())
            return true;
        Volatile.Write(ref _longSince, 0);
        return false;
    }

    /// <summary>Ends it, on the same thread, which is the loop's no more if it has taken long.</summary>
    public void EndLong()
    {
        lock (_changing)
        {
            if (IsHere)
                Volatile.Write(ref _longSince, 0);
        }
    }

    /// <summary>
    /// Gives the loop another thread if its own has begun before a moment what it still does. Any thread.
    /// </summary>
    /// <param name="before">The moment, as a time stamp.</param>
    /// <remarks>
    /// The events that the thread has not looked at are reported again, and it looks at none afterwards. It has the
    /// buffer, if that is lent.
    /// </remarks>
    public void TryChangeThread(long before)
    {
        lock (_changing)
        {
            if (_longSince == 0 || _longSince > before)
                return;
            var next = NewThread();
            try
            {
                next.Start(); // It waits for the gate.
            }
            catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
            {
                return; // It is tried again.
            }

            Buffer.Leave();
            LongBuffer.Leave();
            Volatile.Write(ref _thread, next);
            Volatile.Write(ref _term, _term + 1);
            Volatile.Write(ref _longSince, 0);
            lock (_posting)
                Wake(); // For what the thread has posted to itself.
        }
    }

    /// <summary>Counts sent bytes; other threads' sends take none of the loop's time.</summary>
    public void NoteSent(long bytes)
    {
        if (IsHere)
            Volatile.Write(ref _roundBytes, _roundBytes + bytes);
    }

    /// <summary>Reports arrivals to an acceptor from now on, when it asks for them. Any thread.</summary>
    /// <returns>The number for its requests.</returns>
    public ulong AddArrivals(Action onArrival)
    {
        ulong number = Interlocked.Increment(ref _lastAcceptor);
        _acceptors[number] = onArrival;
        return number;
    }

    /// <summary>Reports no more arrivals to an acceptor. Any thread.</summary>
    public void RemoveArrivals(ulong acceptorNumber) => _acceptors.TryRemove(acceptorNumber, out _);

    /// <summary>Adds a connection, and begins to receive from it. Any thread.</summary>
    public void Add(EpollConnection connection) => Post(connection, adds: true);

    /// <summary>Removes a connection and closes its socket. Any thread.</summary>
    public void Remove(EpollConnection connection) => Post(connection, adds: false);

    /// <summary>Adds, modifies or deletes the interest in a descriptor. Any thread.</summary>
    /// <returns>0, or −1 with the call's last error.</returns>
    public int Control(int operation, int descriptor, uint events, ulong number)
    {
        Span<byte> epollEvent = stackalloc byte[EpollEvents.EventBytesMax];
        EpollEvents.Write(epollEvent, events, number);
        return LinuxCalls.EpollControl(_epoll, operation, descriptor, ref epollEvent[0]);
    }

    /// <summary>Executes short work on the thread, or, if it has ended, on the thread pool. Any thread.</summary>
    public void Post(Action<object> work, object state)
    {
        lock (_posting)
        {
            if (!_ended)
            {
                _work.Enqueue((work, state));
                if (IsHere)
                    _hasOwnWork = true;
                else if (_work.Count == 1)
                    Wake();
                return;
            }
        }

        ThreadPool.UnsafeQueueUserWorkItem(work, state, preferLocal: false);
    }

    /// <summary>Ends the thread after its present work. Its remaining connections are closed.</summary>
    public void Stop()
    {
        lock (_posting)
        {
            _stopping = true;
            if (!_ended)
                Wake();
        }
    }

    /// <summary>Stops, and waits for the thread's end.</summary>
    /// <returns>
    /// False if it has not ended in time, because it executes a long command; it frees everything after that.
    /// </returns>
    public bool TryEnd(TimeSpan timeout)
    {
        Stop();
        return IsHere || Volatile.Read(ref _thread).Join(timeout);
    }

    /// <summary>Ends the thread, however long that takes.</summary>
    public void Dispose() => TryEnd(Timeout.InfiniteTimeSpan);

    private Thread NewThread() => new(Run, StackBytes) { IsBackground = true, Name = _name };

    private void Run()
    {
        int term;
        lock (_changing)
            term = _term;
        while (!_stopping)
        {
            int count = LinuxCalls.EpollWait(_epoll, ref _events.First, EventCountMax, timeoutMs: -1);
            if (count < 0 && LinuxCalls.LastError != LinuxCalls.ErrorInterrupted)
                throw new Win32Exception(LinuxCalls.LastError);
            Dispatch(count, term);
            if (IsOver(term))
                return;
        }

        End();
    }

    // Whether another thread has the loop now.
    private bool IsOver(int term) => Volatile.Read(ref _term) != term;

    // Not inlined into the endless method above, which the runtime optimizes late.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Dispatch(int count, int term)
    {
        Volatile.Write(ref _roundBytes, 0);
        bool isMeasured = _measuresRounds;
        long start = isMeasured || count > EventsPerLook ? TimeProvider.System.GetTimestamp() : 0;
        int first = count > 0 ? (int)(_rounds++ % (uint)count) : 0;
        for (int i = 0; i < count; i++)
        {
            if (i > 0 && i % EventsPerLook == 0 && TimeProvider.System.GetElapsedTime(start) > _roundTime)
                Volatile.Write(ref _roundBytes, RoundBytes);
            Volatile.Write(ref _turn, _turn + 1);
            int next = first + i;
            var (events, number) = _events[next < count ? next : next - count];
            if (_connections.Find(number) is { } connection)
                connection.OnReady(events);
            else if (number == WakeNumber)
                TakePosted(term);
            else if (_acceptors.TryGetValue(number, out var onArrival))
                onArrival();
            if (IsOver(term))
                return;
        }

        if (_hasOwnWork)
            TakeWork(term);
        if (isMeasured && !IsOver(term))
            NoteRound(start);
    }

    // What ends while it is taken may be lost.
    private void NoteRound(long start)
    {
        long ticks = TimeProvider.System.GetTimestamp() - start;
        if (ticks > Volatile.Read(ref _longestRound))
            Volatile.Write(ref _longestRound, ticks);
    }

    private void End()
    {
        TakePosted(_term);
        lock (_posting)
            _ended = true;

        // Work that was posted in between; nothing is posted from here on.
        TakePosted(_term);
        while (TryTakeWork(out var work, out object? state))
            ThreadPool.UnsafeQueueUserWorkItem(work, state, preferLocal: false);
        foreach (var connection in _connections)
            connection.CloseSocket();
        Count = 0;
        _ = LinuxCalls.Close(_epoll);
        _ = LinuxCalls.Close(_wake);
    }

    private void TakePosted(int term)
    {
        // Before the queue is emptied: a later post wakes the loop again.
        ulong wakes = 0;
        LinuxCalls.Read(_wake, ref wakes, sizeof(ulong));
        while (TryTakePosted(out var post))
        {
            if (post.Adds)
                AddCore(post.Connection);
            else
                RemoveCore(post.Connection);
        }

        TakeWork(term);
    }

    private void TakeWork(int term)
    {
        int count;
        lock (_posting)
            count = Math.Min(_work.Count, WorkPerRound); // What it posts again comes in the next round.
        for (int i = 0; i < count && TryTakeWork(out var work, out object? state); i++)
        {
            Volatile.Write(ref _turn, _turn + 1);
            work(state);
            if (IsOver(term))
                return;
        }

        lock (_posting)
        {
            _hasOwnWork = false;
            if (_work.Count > 0)
                Wake(); // The other connections have their turns first.
        }
    }

    private bool TryTakeWork(
        [NotNullWhen(true)] out Action<object>? work, [NotNullWhen(true)] out object? state)
    {
        lock (_posting)
        {
            bool any = _work.TryDequeue(out var first);
            (work, state) = first;
            return any;
        }
    }

    private void AddCore(EpollConnection connection)
    {
        ulong number = _connections.Add(connection);
        if (!connection.TryAttach(number))
            _connections.Remove(number);
        Count = _connections.Count;
    }

    private void RemoveCore(EpollConnection connection)
    {
        _connections.Remove(connection.Number);
        Count = _connections.Count;
        connection.CloseSocket();
    }

    private void Post(EpollConnection connection, bool adds)
    {
        lock (_posting)
        {
            if (!_ended)
            {
                _posted.Enqueue((connection, adds));
                if (_posted.Count == 1)
                    Wake();
                return;
            }
        }

        connection.CloseSocket();
    }

    private bool TryTakePosted(out (EpollConnection Connection, bool Adds) post)
    {
        lock (_posting)
            return _posted.TryDequeue(out post);
    }

    private void Wake()
    {
        ulong one = 1;
        LinuxCalls.Write(_wake, ref one, sizeof(ulong));
    }

    private static int ThrowIfFailed(int result)
    {
        Debug.Assert(result >= -1);
        return result >= 0 ? result : throw new Win32Exception(LinuxCalls.LastError);
    }
}
