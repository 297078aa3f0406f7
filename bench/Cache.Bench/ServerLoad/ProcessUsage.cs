using System.Diagnostics;

namespace Cache.Bench.ServerLoad;

/// <summary>What a process had used of the machine at a moment.</summary>
internal readonly record struct ProcessUsage(TimeSpan User, TimeSpan System, long ResidentBytes)
{
    public static ProcessUsage Read(int processId)
    {
        using var process = Process.GetProcessById(processId);
        return new ProcessUsage(process.UserProcessorTime, process.PrivilegedProcessorTime, process.WorkingSet64);
    }
}
