using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>
/// Populates memory of a reservation before it is needed, on a thread of the pool, so that no writer waits for it: a
/// huge page may take milliseconds, above all on a virtual machine whose host must find it too.
/// </summary>
internal sealed class Prefault : IThreadPoolWorkItem
{
    /// <summary>The bytes populated at once: a huge page.</summary>
    public const int Step = 2 << 20;

    // At most this fraction of the limit, since the populated memory is not used yet.
    private const int LimitDivisor = 128;

    private readonly NativeReservation _reservation;

    // The latest request; any thread writes it, the running one reads it.
    private long _from;
    private long _to;

    // 1 while a thread runs, or is about to; exchanged when it begins and ends.
    private int _isRunning;

    /// <summary>Populates the first memory, and more of it in the background.</summary>
    /// <param name="reservation">The reservation.</param>
    /// <param name="start">The offset that is used first.</param>
    /// <param name="limitBytes">The store's limit: a small one forbids it.</param>
    /// <param name="stepsMax">The most huge pages ahead, so that a writer may be faster for a moment.</param>
    public Prefault(NativeReservation reservation, long start, long limitBytes, int stepsMax)
    {
        _reservation = reservation;
        Bytes = Math.Min(stepsMax, limitBytes / LimitDivisor / Step) * Step;
        if (Bytes == 0)
            return;
        _reservation.Populate(start / Step * Step, Step);
        Request(start, Bytes);
    }

    /// <summary>The bytes that are populated ahead; 0 in a store that is too small for it.</summary>
    public long Bytes { get; }

    /// <summary>Asks for memory from an offset, whose first page may be in use; it replaces earlier requests.</summary>
    public void Request(long from, long length)
    {
        Debug.Assert(from >= 0);
        Volatile.Write(ref _from, from / Step * Step);
        Volatile.Write(ref _to, from + Math.Min(Bytes, length));
        if (Bytes != 0 && TryBegin())
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        long next = 0;
        do
        {
            while (TryFindNext(ref next))
                _reservation.Populate(next - Step, Step);
            Interlocked.Exchange(ref _isRunning, 0);
        }
        while (next < Volatile.Read(ref _to) && TryBegin()); // For a request that came before the flag was reset.
    }

    // Memory that writers have reached meanwhile needs no populating.
    private bool TryFindNext(ref long next)
    {
        long at = Math.Max(next, Volatile.Read(ref _from));
        if (at >= Volatile.Read(ref _to))
            return false;
        next = at + Step;
        return true;
    }

    private bool TryBegin() => Interlocked.Exchange(ref _isRunning, 1) == 0;
}
