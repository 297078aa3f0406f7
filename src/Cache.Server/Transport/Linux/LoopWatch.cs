using System.Diagnostics;

namespace Cache.Server.Transport.Linux;

/// <summary>Gives a loop another thread when its own does something that takes long. Thread-safe.</summary>
/// <remarks>
/// Nobody else may be there to notice it. A thread of its own looks at the loops while any of them begins such things,
/// and rests when none has for a while.
/// </remarks>
/// <param name="loops">The loops.</param>
internal sealed class LoopWatch(EpollLoop?[] loops) : IDisposable
{
    /// <summary>What takes longer takes long, up to as much again: as long as others wait for a script.</summary>
    public static readonly TimeSpan LongMax = TimeSpan.FromMilliseconds(20);

    private const int StackBytes = 128 * 1024;

    // Without anything in between, it rests.
    private const int LooksMax = 100;

    private static readonly TimeSpan _interval = LongMax / 2;

    private readonly object _gate = new();
    private Thread? _thread;
    private bool _rests = true;
    private bool _isOver;

    /// <summary>Looks from now on, if it rests. Called by a loop after it has begun something.</summary>
    /// <returns>False: nobody looks.</returns>
    public bool TrySee()
    {
        Interlocked.MemoryBarrier(); // It sees what has begun, or this sees that it rests.
        return !Volatile.Read(ref _rests) || TryWake();
    }

    /// <summary>Looks no more.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isOver = true;
            Monitor.PulseAll(_gate);
        }
    }

    private bool TryWake()
    {
        lock (_gate)
        {
            if (_isOver || !TryStart())
                return false;
            Volatile.Write(ref _rests, false);
            Monitor.PulseAll(_gate);
            return true;
        }
    }

    private bool TryStart()
    {
        if (_thread is not null)
            return true;
        var thread = new Thread(Run, StackBytes) { IsBackground = true, Name = "cache watch" };
        try
        {
            thread.UnsafeStart();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }

        _thread = thread;
        return true;
    }

    private void Run()
    {
        lock (_gate)
        {
            for (int looks = 0; !_isOver; looks = Look() ? 0 : looks + 1)
            {
                if (looks < LooksMax)
                {
                    Monitor.Wait(_gate, _interval);
                    continue;
                }

                Volatile.Write(ref _rests, true);
                Interlocked.MemoryBarrier();
                if (!Look())
                {
                    while (_rests && !_isOver)
                        Monitor.Wait(_gate);
                }

                Volatile.Write(ref _rests, false);
                looks = 0;
            }

            Volatile.Write(ref _rests, true);
        }
    }

    // Whether a loop does something that may take long.
    private bool Look()
    {
        var clock = TimeProvider.System;
        long before = clock.GetTimestamp() - (long)(LongMax.TotalSeconds * clock.TimestampFrequency);
        bool isAny = false;
        foreach (var loop in loops)
        {
            if (loop is null || loop.LongSince == 0)
                continue;
            isAny = true;
            loop.TryChangeThread(before);
        }

        return isAny;
    }
}
