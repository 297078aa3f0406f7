using System.Globalization;

namespace Cache.Core;

/// <summary>The memory that a process may use: of its container if there is one, else of the machine.</summary>
/// <remarks>
/// On Linux it is read from the kernel's files. The runtime's figure is only the share for its own heap, three quarters
/// of a container's memory by default, and perhaps less if the heap is kept small for the store's sake; entries are not
/// in that heap. On other systems only the runtime's figure is available.
/// </remarks>
internal static class MachineMemory
{
    private const long BytesPerKilobyte = 1 << 10;

    private static readonly Lazy<long> _availableBytes = new(static () => Read("/"));

    public static long AvailableBytes => _availableBytes.Value;

    /// <summary>Reads the files below a root; ignores those that cannot be read.</summary>
    internal static long Read(string root)
    {
        long bytes = ReadMachine(root) ?? GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        foreach (string line in ReadLines(root, "proc/self/cgroup"))
        {
            // "0::/path" of version 2; "4:memory:/path" of version 1.
            if (line.Split(':', 3) is not [_, var controllers, var path])
                continue;
            if (controllers.Length == 0)
                bytes = Math.Min(bytes, ReadGroup(root, "sys/fs/cgroup", path, "memory.max"));
            else if (controllers.Split(',').Contains("memory"))
                bytes = Math.Min(bytes, ReadGroup(root, "sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
        }

        return bytes;
    }

    // The lowest limit of a group and its parents counts. A container sees its own group as the root, and perhaps also
    // its path on the machine; missing folders have no limit.
    private static long ReadGroup(string root, string mount, string path, string file)
    {
        long least = long.MaxValue;
        for (string? group = path.Trim('/'); group is not null; group = ParentOf(group))
        {
            foreach (string line in ReadLines(root, Path.Combine(mount, group, file)))
            {
                // "max" is no number, and no limit.
                if (long.TryParse(line, NumberStyles.None, CultureInfo.InvariantCulture, out long limit))
                    least = Math.Min(least, limit);
            }
        }

        return least;
    }

    private static string? ParentOf(string group) =>
        group.Length == 0 ? null : Path.GetDirectoryName(group) ?? "";

    private static long? ReadMachine(string root)
    {
        foreach (string line in ReadLines(root, "proc/meminfo"))
        {
            if (line.Split(' ', StringSplitOptions.RemoveEmptyEntries) is ["MemTotal:", var kilobytes, "kB"]
                && long.TryParse(kilobytes, NumberStyles.None, CultureInfo.InvariantCulture, out long number))
            {
                return number * BytesPerKilobyte;
            }
        }

        return null;
    }

    internal static string[] ReadLines(string root, string path)
    {
        try
        {
            return File.ReadAllLines(Path.Combine(root, path));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }
}
