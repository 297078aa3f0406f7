using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>The checked twin of every access to native memory: a no-op unless CACHE_CHECKED is defined.</summary>
/// <remarks>
/// Each primitive of this folder calls it with the bytes that it is about to touch. A checked build throws where an
/// unchecked one would read or write outside of the store's reservations and blocks.
/// </remarks>
internal static unsafe class AddressCheck
{
    private static readonly Lock _gate = new();
    private static (nuint Start, nuint End)[] _ranges = [];

    [Conditional("CACHE_CHECKED")]
    public static void Register(byte* start, long length)
    {
        lock (_gate)
            _ranges = [.. _ranges, ((nuint)start, (nuint)start + (nuint)length)];
    }

    [Conditional("CACHE_CHECKED")]
    public static void Unregister(byte* start)
    {
        lock (_gate)
            _ranges = Array.FindAll(_ranges, range => range.Start != (nuint)start);
    }

    /// <summary>Throws unless all the bytes lie in one reservation or block.</summary>
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
