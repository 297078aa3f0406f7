using System.Globalization;
using System.Runtime.InteropServices;

namespace Cache.Server.Statistics;

/// <summary>The resident memory of this process by what the system knows of it.</summary>
/// <param name="Anonymous">Memory that belongs to no file; 0 if the system does not tell.</param>
/// <param name="Files">Code and data of the runtime, of libraries and of assemblies.</param>
/// <param name="Shared">Compiled code, which the runtime maps twice, and shared memory.</param>
/// <param name="Allocated">What the C library has taken for native code: the runtime, TLS, stacks excepted.</param>
internal readonly partial record struct ProcessMemory(long Anonymous, long Files, long Shared, long Allocated)
{
    private const string StatusFile = "/proc/self/status";

    /// <summary>All of it that the system tells apart; 0 if it does not.</summary>
    public long Resident => Anonymous + Files + Shared;

    /// <summary>Reads it; zeros where the system does not tell.</summary>
    public static ProcessMemory Read()
    {
        string status = "";
        try
        {
            if (OperatingSystem.IsLinux())
                status = File.ReadAllText(StatusFile);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // A sandbox without it.
        }

        return Parse(status) with { Allocated = status.Length == 0 ? 0 : ReadAllocated() };
    }

    /// <summary>Reads the lines that the kernel writes.</summary>
    public static ProcessMemory Parse(string status) =>
        new(BytesOf(status, "RssAnon:"), BytesOf(status, "RssFile:"), BytesOf(status, "RssShmem:"), Allocated: 0);

    // name: blanks, number, " kB".
    private static long BytesOf(string status, string name)
    {
        int at = status.IndexOf(name, StringComparison.Ordinal);
        if (at < 0)
            return 0;
        string line = status[(at + name.Length)..].Split('\n', 2)[0];
        string number = line.Trim().Split(' ')[0];
        return long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out long kilobytes)
            ? kilobytes << 10
            : 0;
    }

    // Of the C library of GNU from 2.33 on.
    private static long ReadAllocated()
    {
        try
        {
            var info = ReadAllocations();
            return (long)(info.Arena + info.Mapped);
        }
        catch (EntryPointNotFoundException)
        {
            return 0;
        }
        catch (DllNotFoundException)
        {
            return 0;
        }
    }

    [LibraryImport("libc", EntryPoint = "mallinfo2")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial Allocations ReadAllocations();

    // struct mallinfo2: ten numbers of the width of an address.
    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Allocations
    {
        public readonly nuint Arena; // Of the heaps, taken from the system.
        private readonly nuint _freeChunks;
        private readonly nuint _fastChunks;
        private readonly nuint _mappedChunks;
        public readonly nuint Mapped; // Of single mappings.
        private readonly nuint _unused;
        private readonly nuint _fastBytes;
        private readonly nuint _usedBytes;
        private readonly nuint _freeBytes;
        private readonly nuint _trimmable;
    }
}
