using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>A variable number of words; unused memory is given back to the system at once.</summary>
/// <remarks>
/// In a reservation, since a replaced array would stay until a collection, and a store causes none. One thread at a
/// time changes the number. A thread that still has a former, larger number writes into unused memory, or after the
/// disposal to addresses that are still mapped: harmless.
/// </remarks>
internal sealed unsafe class GhostMemory : IDisposable
{
    private const int PageSize = 4 << 10;

    private readonly NativeReservation _reservation;

    // Written by a resize; read by all, once for each operation.
    private long _count;

    /// <param name="lengthMin">The bytes that must fit.</param>
    /// <param name="lengthWanted">The bytes that should fit if the system allows it.</param>
    public GhostMemory(long lengthMin, long lengthWanted)
    {
        _reservation = new NativeReservation(ToPages(lengthMin), ToPages(lengthWanted), hugePages: false);
        CountMax = _reservation.Length / sizeof(ulong);
    }

    /// <summary>The words that fit in the reservation.</summary>
    public long CountMax { get; }

    /// <summary>The words in use, zero after each change of their number.</summary>
    public long Count => Volatile.Read(ref _count);

    public ref ulong this[long index]
    {
        get
        {
            Debug.Assert((ulong)index < (ulong)CountMax);
            ulong* word = (ulong*)_reservation.Start + index;
            AddressCheck.InRange(word, sizeof(ulong));
            return ref *word;
        }
    }

    /// <summary>Changes the number of words, and clears them.</summary>
    public void Resize(long count)
    {
        Debug.Assert((ulong)count <= (ulong)CountMax);
        long length = ToPages(Count * sizeof(ulong));
        Volatile.Write(ref _count, 0);
        if (length != 0 && !_reservation.TryDiscard(0, length))
            NativeMemory.Clear(_reservation.Start, (nuint)Math.Min(length, _reservation.Length));
        Volatile.Write(ref _count, count);
    }

    /// <summary>Gives the memory back; the addresses go when this object is no longer referenced.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _count, 0);
        _reservation.Dispose();
    }

    private static long ToPages(long length) => (length + PageSize - 1) & -PageSize;
}
