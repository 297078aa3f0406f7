using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>The checked twin of every access to native memory: a no-op unless CACHE_CHECKED is defined.</summary>
/// <remarks>
/// Each primitive of this folder calls it with the bytes that it will access. A checked build throws where an unchecked
/// one would read or write outside of the store's reservations and blocks.
/// </remarks>
internal static unsafe class AddressCheck
{
    private static readonly Lock _gate = new();

    // Written under the gate, read without. A range keeps its place, and places are reused: a new array for each change
    // would be garbage that hides the store's own memory in measurements.
    private static (nuint Start, nuint End)[] _ranges = new (nuint, nuint)[64];

    [Conditional("CACHE_CHECKED")]
    public static void Register(byte* start, long length)
    {
        lock (_gate)
        {
            int place = Array.FindIndex(_ranges, static range => range.End == 0);
            if (place < 0)
            {
                place = _ranges.Length;
                var ranges = _ranges;
                Array.Resize(ref ranges, 2 * place);
                Volatile.Write(ref _ranges, ranges);
            }

            _ranges[place].Start = (nuint)start;
            Volatile.Write(ref _ranges[place].End, (nuint)start + (nuint)length);
        }
    }

    [Conditional("CACHE_CHECKED")]
    public static void Unregister(byte* start)
    {
        lock (_gate)
        {
            int place = Array.FindIndex(_ranges, range => range.End != 0 && range.Start == (nuint)start);
            if (place >= 0)
                _ranges[place].End = 0;
        }
    }

    /// <summary>Throws unless all bytes are in one reservation or block.</summary>
    [Conditional("CACHE_CHECKED")]
    public static void InRange(void* address, long length)
    {
        foreach (var (start, end) in Volatile.Read(ref _ranges))
        {
            if ((nuint)address >= start && length >= 0 && (nuint)address + (nuint)length <= end)
                return;
        }

        throw new InvalidOperationException(
            $"{length} bytes at {(nuint)address:x} are outside of every reservation and block.");
    }
}
