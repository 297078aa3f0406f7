using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cache.Server.Connections;

/// <summary>A few threads that execute what is posted, in its order.</summary>
/// <remarks>
/// Beside the thread pool, which may be busy with anything of the host, and whose threads have the same priority as
/// those that serve everybody. A thread starts when there is work for it and ends when there has been none for a while.
/// Where the system gives no thread, as in a container whose number of processes is limited, those that there are
/// execute it all, or without any the pool's. Thread-safe.
/// </remarks>
/// <param name="threadsMax">How many threads there may be.</param>
/// <param name="start">Starts a thread; null for the system's way.</param>
internal sealed class WorkerLane(int threadsMax, Action<Thread>? start = null) : IDisposable
{
    // Longer than between the commands of a client that goes on with them; threads at rest cost their stacks.
    private static readonly TimeSpan RestTime = TimeSpan.FromSeconds(5);

    // As of the loops: a handler runs on it.
    private const int StackBytes = 1 << 20;

    // Their share beside a loop that is always busy is a tenth: the loop is served at once, and they are never starved.
    private const int Niceness = 10;

    private readonly object _gate = new();
    private readonly Queue<Action> _waiting = new();
    private int _threads;
    private int _resting;
    private bool _isStopping;

    /// <summary>How many requests have been executed here; a recent value.</summary>
    public long Count { get; private set; }

    /// <summary>What follows the await is executed by one of the threads.</summary>
    public Entrance EnterAsync() => new(this);

    /// <summary>Lets the threads end when nothing waits any more.</summary>
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
                return; // A thread that could be started meanwhile took it.
            Count++;
        }

        work();
    }

    private void Run()
    {
        if (OperatingSystem.IsLinux())
            _ = SetPriority(0, 0, Niceness); // Of this thread alone; if it fails, it is as the others are.
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
