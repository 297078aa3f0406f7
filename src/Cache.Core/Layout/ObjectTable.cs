using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>The objects of large collections, by their numbers. Thread-safe.</summary>
/// <remarks>
/// Its memory is never unmapped while a thread can reach it, and any number is an object, so a reader with an old stub
/// reads garbage and finds out by version and generation.
/// <code>
///  version  bit 0      a writer holds the object, and may change it
///           bit 1      a thread holds the object, and changes nothing: others may read, but not write
///           bits 2–31  counts the changes
/// </code>
/// A number's memory counts from its first use on, by whole pages of the system.
/// </remarks>
internal sealed unsafe class ObjectTable : IDisposable
{
    private const uint Changing = 1;
    private const uint Readable = 2;
    private const uint HeldMask = Changing | Readable;
    private const uint VersionStep = 4;
    private const int PageSize = 4096;
    private const int PerPage = PageSize / ObjectInfo.Size;

    private readonly NativeReservation _reservation;
    private readonly ObjectInfo* _objects;
    private readonly uint _last;
    private readonly Lock _gate = new();

    // Guarded by the gate. Number 0 is never used.
    private uint _firstUnused;
    private uint _frontier = 1;

    /// <param name="lengthMin">The least length of the addresses.</param>
    /// <param name="lengthWanted">The length if the system allows it.</param>
    public ObjectTable(long lengthMin, long lengthWanted)
    {
        const long LengthMax = (long)int.MaxValue * ObjectInfo.Size;
        _reservation = new NativeReservation(
            Math.Min(lengthMin, LengthMax), Math.Min(lengthWanted, LengthMax), hugePages: false);
        _objects = (ObjectInfo*)_reservation.Start;
        _last = (uint)(_reservation.Length / ObjectInfo.Size - 1);
    }

    /// <summary>All numbers that were ever used are less.</summary>
    public uint Frontier
    {
        get
        {
            lock (_gate)
                return _frontier;
        }
    }

    /// <summary>What it counts against the limit.</summary>
    public long Bytes => BytesFor(Frontier);

    public ref ObjectInfo this[uint number]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // A comparison, a shift and an addition.
        get
        {
            var at = _objects + Math.Min(number, _last);
            AddressCheck.InRange(at, ObjectInfo.Size);
            return ref *at;
        }
    }

    /// <summary>The bytes that one number more would count.</summary>
    public long NextBytes
    {
        get
        {
            lock (_gate)
                return _firstUnused != 0 ? 0 : BytesFor(_frontier + 1) - BytesFor(_frontier);
        }
    }

    /// <summary>Takes a number.</summary>
    /// <param name="paidBytes">What the caller has taken of the budget for it; the rest stays the caller's.</param>
    /// <param name="number">The number.</param>
    /// <returns>False if there is none for these bytes.</returns>
    public bool TryTake(ref long paidBytes, out uint number)
    {
        lock (_gate)
        {
            number = _firstUnused;
            if (number != 0)
            {
                Debug.Assert(this[number].State == ObjectState.Unused);
                _firstUnused = this[number].Second.Page;
                return true;
            }

            long bytes = BytesFor(_frontier + 1) - BytesFor(_frontier);
            if (_frontier > _last || bytes > paidBytes)
                return false;
            paidBytes -= bytes;
            number = _frontier++;
            return true;
        }
    }

    /// <summary>Gives a number back; nothing refers to it any more.</summary>
    public void Give(uint number)
    {
        ref var info = ref this[number];
        lock (_gate)
        {
            info.State = ObjectState.Unused;
            info.Second.Page = _firstUnused;
            _firstUnused = number;
        }
    }

    public uint ReadVersion(uint number) => Volatile.Read(ref this[number].Version);

    /// <summary>Whether a version is that of an object which a writer changes.</summary>
    public static bool IsChanging(uint version) => (version & Changing) != 0;

    /// <summary>The version without whether it is held.</summary>
    public static uint Unheld(uint version) => version & ~HeldMask;

    /// <summary>Whether the version is still the same, after everything that was read before.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A load and a compare, at the end of each read.
    public bool IsAt(uint number, uint version)
    {
        Volatile.ReadBarrier();
        return VersionCheck.IsLeftOut || this[number].Version == version;
    }

    /// <summary>Holds an object that is free: to change it, or only to keep others from that.</summary>
    /// <remarks>Of two threads one wins; the other waits.</remarks>
    public bool TryHold(uint number, bool mayChange, out uint version)
    {
        ref uint word = ref this[number].Version;
        version = Volatile.Read(ref word);
        return (version & HeldMask) == 0
            && Interlocked.CompareExchange(ref word, version + (mayChange ? Changing : Readable), version) == version;
    }

    /// <summary>Lets an object go, with a new version if there was a change.</summary>
    public void LetGo(uint number, uint version, bool isChanged)
    {
        Debug.Assert((this[number].Version & HeldMask) != 0, "Only the holder lets go.");
        Volatile.Write(ref this[number].Version, isChanged ? version + VersionStep : version);
    }

    /// <summary>Gives the memory back; late readers find zeros, and late writers an object that is free.</summary>
    public void Dispose() => _reservation.Dispose();

    private static long BytesFor(uint frontier) =>
        frontier <= 1 ? 0 : ((long)frontier + PerPage - 1) / PerPage * PageSize;
}
