using System.Globalization;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Layout;

/// <summary>What segments ask of the system.</summary>
public sealed class SegmentMemoryTests
{
    private const long Length = 64 << 20;

    /// <summary>
    /// A segment that is given back must stay so: in a huge page, the system fills it again beside one in use.
    /// </summary>
    [Theory]
    [InlineData(256 << 10, true, false)]
    [InlineData(1 << 20, true, false)]
    [InlineData(2 << 20, true, true)]
    [InlineData(2 << 20, false, false)]
    public void HugePages_AreAskedForWhereASegmentIsAsLongAsOne(int segmentSize, bool hugePages, bool expected)
    {
        if (!Directory.Exists("/sys/kernel/mm/transparent_hugepage"))
            return; // A system that has none.
        using var memory = new SegmentMemory(segmentSize, Length, Length, hugePages);
        Assert.Contains(expected ? " hg" : " nh", FlagsOf(RecordsOf(memory)), StringComparison.Ordinal);
    }

    private static string FlagsOf(NativeReservation reservation)
    {
        bool isOurs = false;
        foreach (string line in File.ReadLines("/proc/self/smaps"))
        {
            int dash = line.IndexOf('-', StringComparison.Ordinal);
            if (char.IsAsciiHexDigitLower(line[0]) && dash > 0)
            {
                ulong start = ulong.Parse(line.AsSpan(0, dash), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
                var rest = line.AsSpan(dash + 1);
                ulong end = ulong.Parse(
                    rest[..rest.IndexOf(' ')], NumberStyles.HexNumber, CultureInfo.InvariantCulture);
                isOurs = reservation.Overlaps(start, end) && end - start >= Length;
            }
            else if (isOurs && line.StartsWith("VmFlags:", StringComparison.Ordinal))
            {
                return line;
            }
        }

        Assert.Fail("The mapping is not listed.");
        return "";
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_records")]
    private static extern ref NativeReservation RecordsOf(SegmentMemory segments);
}
