using System.Globalization;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>What stores and requests occupy of the machine's memory, as the system counts it.</summary>
/// <remarks>
/// Of all mappings of the process only those that are not charged for and that decided about huge pages: those of
/// NativeReservation and NativeBytes. So neither the test's own memory counts, nor the collector's.
/// </remarks>
internal static class ResidentMemory
{
    private const string Resident = "Rss:";
    private const string Flags = "VmFlags:";

    /// <summary>Whether the system tells it.</summary>
    public static bool IsKnown => OperatingSystem.IsLinux();

    public static long Read()
    {
        long sum = 0;
        long kilobytes = 0;
        foreach (string line in File.ReadLines("/proc/self/smaps"))
        {
            if (line.StartsWith(Resident, StringComparison.Ordinal))
            {
                kilobytes = long.Parse(
                    line.AsSpan(Resident.Length).TrimEnd("kB "), NumberStyles.AllowLeadingWhite,
                    CultureInfo.InvariantCulture);
            }
            else if (line.StartsWith(Flags, StringComparison.Ordinal)
                && line.Contains(" nr", StringComparison.Ordinal)
                && (line.Contains(" hg", StringComparison.Ordinal) || line.Contains(" nh", StringComparison.Ordinal)))
            {
                sum += kilobytes * 1024;
            }
        }

        return sum;
    }
}
