using System.Runtime.InteropServices;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>The processor time of the present thread: what else the machine does adds nothing to it.</summary>
internal static class ThreadTime
{
    private const int ThreadClock = 3;

    /// <summary>Whether the system tells it.</summary>
    public static bool IsKnown => OperatingSystem.IsLinux();

    /// <summary>The time so far; without what the collector took meanwhile, which nobody asked it to.</summary>
    public static TimeSpan Read()
    {
        if (!IsKnown || GetTime(ThreadClock, out var time) != 0)
            return TimeSpan.Zero;
        return TimeSpan.FromSeconds(time.Seconds) + TimeSpan.FromMicroseconds(time.Nanoseconds / 1_000.0)
            - GC.GetTotalPauseDuration();
    }

    [DllImport("libc", EntryPoint = "clock_gettime")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int GetTime(int clock, out Time time);

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Time
    {
        public readonly long Seconds;
        public readonly long Nanoseconds;
    }
}
