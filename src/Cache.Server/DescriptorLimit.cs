using System.Globalization;

namespace Cache.Server;

/// <summary>How many descriptors, hence connections, the system lets this process have.</summary>
/// <remarks>
/// The runtime itself cannot go on without descriptors: it ends the process when it has none left to load an assembly
/// with. So the number of clients is kept below the limit, as Redis does, and running out is left to rarer causes.
/// </remarks>
internal static class DescriptorLimit
{
    // About 70 that an idle server holds, 64 connections that are being refused, and some for the host.
    private const int ReservedCount = 192;

    /// <summary>The most clients that the limit leaves room for, at least one; no bound where it is unknown.</summary>
    public static int ReadClientsMax() =>
        OperatingSystem.IsLinux() ? ParseClientsMax(File.ReadAllText("/proc/self/limits")) : int.MaxValue;

    /// <param name="limits">The system's table of limits: names, soft limits, hard limits, units, in columns.</param>
    internal static int ParseClientsMax(string limits)
    {
        const string Name = "Max open files";
        foreach (var line in limits.AsSpan().EnumerateLines())
        {
            if (!line.StartsWith(Name))
                continue;
            var columns = line[Name.Length..].TrimStart();
            var soft = columns[..columns.IndexOf(' ')];
            return long.TryParse(soft, CultureInfo.InvariantCulture, out long count)
                ? (int)Math.Clamp(count - ReservedCount, 1, int.MaxValue)
                : int.MaxValue;
        }

        return int.MaxValue;
    }
}
