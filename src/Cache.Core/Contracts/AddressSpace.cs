using System.Globalization;

namespace Cache.Core;

/// <summary>The address space that a process may still take: little under RLIMIT_AS or strict overcommit.</summary>
internal static class AddressSpace
{
    private const long BytesPerKilobyte = 1 << 10;
    private const string StrictOvercommit = "2";

    /// <summary>The free address space; <see cref="long.MaxValue"/> if it is unlimited.</summary>
    public static long ReadFreeBytes() => OperatingSystem.IsLinux() ? ReadFreeBytes("/") : long.MaxValue;

    /// <summary>Reads the files below a root; ignores those that cannot be read.</summary>
    internal static long ReadFreeBytes(string root)
    {
        long free = long.MaxValue;
        foreach (string line in MachineMemory.ReadLines(root, "proc/self/limits"))
        {
            // "Max address space         1073741824           unlimited            bytes"; or "unlimited", no number.
            if (Words(line) is ["Max", "address", "space", var soft, ..] && TryParse(soft, out long limit))
                free = Math.Max(0, limit - ReadUsedBytes(root));
        }

        if (MachineMemory.ReadLines(root, "proc/sys/vm/overcommit_memory") is [StrictOvercommit])
        {
            var (limit, committed) = (long.MaxValue, 0L);
            foreach (string line in MachineMemory.ReadLines(root, "proc/meminfo"))
            {
                if (Words(line) is ["CommitLimit:", var most, "kB"] && TryParse(most, out long kilobytes))
                    limit = kilobytes * BytesPerKilobyte;
                if (Words(line) is ["Committed_AS:", var used, "kB"] && TryParse(used, out kilobytes))
                    committed = kilobytes * BytesPerKilobyte;
            }

            free = Math.Min(free, Math.Max(0, limit - committed));
        }

        return free;
    }

    private static long ReadUsedBytes(string root) =>
        MachineMemory.ReadLines(root, "proc/self/statm") is [var line] && Words(line) is [var pages, ..]
            && TryParse(pages, out long number)
            ? number * Environment.SystemPageSize
            : 0;

    private static string[] Words(string line) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private static bool TryParse(string text, out long number) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
}
