using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>Words of memory whose number changes; what is no longer used goes back to the system at once.</summary>
/// <remarks>
/// In a reservation, since an array that was replaced would stay until the collector comes by, and a store gives it no
/// reason to. One thread at a time changes the number. One that still has a former, larger number writes into memory
/// that is not used any more, or after the disposal into addresses that are still mapped: harmless.
/// </remarks>
internal sealed unsafe class GhostMemory : IDisposable
{
    private const int PageSize = 4 << 10;

    private readonly NativeReservation _reservation;

    // Written by a resize; read by all, once for each operation.
    private long _count;

    /// <param name="lengthMin">The bytes that there must be room for.</param>
    /// <param name="lengthWanted">The bytes to have room for if the system lets it.</param>
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

    /// <summary>Has this many words from now on, and forgets what was in them.</summary>
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
