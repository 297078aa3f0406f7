using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cache.Server.Connections;

/// <summary>A few threads that execute posted requests, in order.</summary>
/// <remarks>
/// Not the thread pool, which may be busy with the host's work, and whose threads have the same priority as those that
/// serve all clients. A thread starts when there is work for it and ends after a while without work. If the system
/// refuses a thread, as in a container with a limited number of processes, the existing threads do the work, or without
/// any, the pool's. Thread-safe.
/// </remarks>
/// <param name="threadsMax">The most threads.</param>
/// <param name="start">Starts a thread; null for the system's way.</param>
internal sealed class WorkerLane(int threadsMax, Action<Thread>? start = null) : IDisposable
{
    // Longer than the pauses of a client that sends one long command after the other; idle threads cost their stacks.
    private static readonly TimeSpan RestTime = TimeSpan.FromSeconds(5);

    // As for event loops: a handler runs on it.
    private const int StackBytes = 1 << 20;

    // Beside a loop that is always busy they get a tenth of the time: the loop is not delayed, and they never starve.
    private const int Niceness = 10;

    [ThreadStatic]
    private static bool _isHere;

    private readonly object _gate = new();
    private readonly Queue<Action> _waiting = new();
    private int _threads;
    private int _resting;
    private bool _isStopping;

    /// <summary>Whether the present thread is one of a lane.</summary>
    public static bool IsHere => _isHere;

    /// <summary>How many requests have been executed here; a recent value.</summary>
    public long Count { get; private set; }

    /// <summary>The code after the await runs on one of the threads.</summary>
    public Entrance EnterAsync() => new(this);

    /// <summary>Ends the threads once no request waits.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isStopping = true;
            Monitor.PulseAll(_gate);
        }
    }

    private void Post(Action work)
    {
        lock (_gate)
        {
            _waiting.Enqueue(work);
            if (_resting >= _waiting.Count)
                Monitor.Pulse(_gate);
            else if (_threads < threadsMax)
                StartThread();
        }
    }

    private void StartThread()
    {
        var thread = new Thread(Run, StackBytes) { IsBackground = true, Name = "cache long" };
        try
        {
            if (start is null)
                thread.UnsafeStart();
            else
                start(thread);
            _threads++;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            if (_threads == 0)
                ThreadPool.UnsafeQueueUserWorkItem(static self => self.RunOne(), this, preferLocal: false);
        }
    }

    private void RunOne()
    {
        Action? work;
        lock (_gate)
        {
            if (!_waiting.TryDequeue(out work))
                return; // A thread that was started meanwhile took it.
            Count++;
        }

        work();
    }

    private void Run()
    {
        if (OperatingSystem.IsLinux())
            _ = SetPriority(0, 0, Niceness); // Of this thread only; no harm if it fails.
        _isHere = true;
        while (TryTake(out var work))
            work();
    }

    private bool TryTake(out Action work)
    {
        lock (_gate)
        {
            while (!_waiting.TryDequeue(out work!))
            {
                _resting++;
                bool isWoken = !_isStopping && Monitor.Wait(_gate, RestTime);
                _resting--;
                if (isWoken || _waiting.Count > 0)
                    continue;
                _threads--;
                return false;
            }

            Count++;
            return true;
        }
    }

    [DllImport("libc", EntryPoint = "setpriority")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetPriority(int which, int who, int niceness);

    /// <summary>The way to the threads, to be awaited.</summary>
    internal readonly struct Entrance(WorkerLane workers) : ICriticalNotifyCompletion
    {
        public bool IsCompleted => false;

        public Entrance GetAwaiter() => this;

        public void GetResult()
        {
        }

        public void OnCompleted(Action continuation) => workers.Post(continuation);

        public void UnsafeOnCompleted(Action continuation) => workers.Post(continuation);
    }
}
