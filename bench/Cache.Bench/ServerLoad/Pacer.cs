using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Bench.ServerLoad;

/// <summary>The thread that wakes resting connections when their next command is due.</summary>
/// <remarks>
/// Sleeps to the microsecond where the system can, else gives its turn away and looks again. How late it wakes is
/// recorded: those delays are in the latencies too, which count from the moment that a command was due.
/// </remarks>
internal sealed class Pacer(LoadConnection[] connections, LoadPhase phase)
{
    // A command that is due sooner is not worth a sleep.
    private const long SleepNanosecondsMin = 5_000;

    // A connection that comes to rest meanwhile has waited no longer than this, unless its command is due sooner.
    private const long SleepNanosecondsMax = 100_000;

    // Linux: lets a thread's sleeps end on time instead of up to 50 µs late.
    private const int SetTimerSlack = 29;

    /// <summary>Wakes connections until all have left the phase.</summary>
    public void Run()
    {
        if (OperatingSystem.IsLinux())
            _ = SetThreadOption(SetTimerSlack, 1);
        while (!phase.Wait(TimeSpan.Zero))
        {
            long now = Stopwatch.GetTimestamp();
            long next = long.MaxValue;
            foreach (var connection in connections)
                next = Math.Min(next, connection.WakeIfDue(now));
            SleepUntil(next);
        }
    }

    private static void SleepUntil(long moment)
    {
        long now = Stopwatch.GetTimestamp();
        long wait = Math.Min(moment - now, SleepNanosecondsMax * Stopwatch.Frequency / 1_000_000_000);
        long nanoseconds = (long)(wait * (1e9 / Stopwatch.Frequency));
        if (nanoseconds < SleepNanosecondsMin)
            return;
        if (OperatingSystem.IsLinux())
            _ = Sleep([0, (nint)nanoseconds], 0);
        else
            Thread.Yield();
    }

    [DllImport("libc", EntryPoint = "prctl")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetThreadOption(int option, nuint value);

    [DllImport("libc", EntryPoint = "nanosleep")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Sleep(nint[] secondsAndNanoseconds, nint rest);
}
