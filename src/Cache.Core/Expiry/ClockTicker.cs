namespace Cache.Core.Expiry;

/// <summary>The thread that renews the clocks of all stores of the process; it ends when there are none.</summary>
/// <remarks>
/// A thread of its own, as a timer of the runtime costs an idle process nearly three times as much at this period, and
/// stands still while the pool's threads are all busy. Thread-safe.
/// </remarks>
internal static class ClockTicker
{
    private static readonly Lock _gate = new();

    // Replaced as a whole, under the gate; the thread reads it without.
    private static CoarseClock[] _clocks = [];

    // Whether the thread is there; under the gate.
    private static bool _isRunning;

    /// <summary>Renews a clock from now on, each <see cref="CoarseClock.TickMs"/>.</summary>
    public static void Add(CoarseClock clock)
    {
        lock (_gate)
        {
            if (!_isRunning)
                new Thread(Run) { IsBackground = true, Name = "cache clock" }.UnsafeStart();
            _isRunning = true;
            Volatile.Write(ref _clocks, [.. _clocks, clock]);
        }
    }

    /// <summary>Renews a clock no more, but for a tick that is under way.</summary>
    public static void Remove(CoarseClock clock)
    {
        lock (_gate)
            Volatile.Write(ref _clocks, Array.FindAll(_clocks, each => each != clock));
    }

    private static void Run()
    {
        do
        {
#pragma warning disable RS0030 // This thread is the timer, of the system's clock alone.
            Thread.Sleep(CoarseClock.TickMs);
#pragma warning restore RS0030
            foreach (var clock in Volatile.Read(ref _clocks))
                clock.Tick();
        }
        while (!MayEnd());
    }

    private static bool MayEnd()
    {
        lock (_gate)
        {
            _isRunning = _clocks.Length > 0;
            return !_isRunning;
        }
    }
}
