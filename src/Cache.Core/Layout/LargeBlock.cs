using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>A value too long for a segment, in an allocation of its own that is shared by counting.</summary>
/// <remarks>
/// <code>
///  0           4         8          16              16 + length   16 + capacity
///  ├───────────┼─────────┼──────────┼───────────────┼─────────────┤
///  │references │ length  │ capacity │ value         │ room        │
///  └───────────┴─────────┴──────────┴───────────────┴─────────────┘
/// </code>
/// The record holds one reference, guarded by the home bucket of its key; a reader takes another one under that
/// bucket's lock, and copies without it. Whoever drops the last one frees the block. With a single reference the
/// holder of the home bucket may change the value in place; else it is copied first. A checked build knows each block
/// from its making to its freeing, and throws where another address, or one that was freed, would be used.
/// </remarks>
internal readonly unsafe struct LargeBlock(byte* start)
{
    /// <summary>What a record holds of a block: its address.</summary>
    public const int StubLength = 8;

    private const int HeaderLength = 16;

    // What the allocator keeps about an allocation.
    private const int AllocatorOverhead = 16;

    // From this size on a block has pages of its own, which go back to the system with it: on the heap, blocks of many
    // sizes leave gaps that the store could not account for.
    private const int PagesMin = 128 << 10;
    private const int PageSize = 4 << 10;
    private const long HasPagesBit = 1L << 32;

    private readonly byte* _start = start;

    public bool IsNull => _start is null;

    public bool IsSame(LargeBlock other) => _start == other._start;

    public bool IsShared => Volatile.Read(ref References) != 1;

    public int Length
    {
        get => *(int*)(Start + 4);
        set
        {
            Debug.Assert(value >= 0);
            Debug.Assert(value <= Capacity);
            *(int*)(Start + 4) = value;
        }
    }

    public int Capacity => (int)*(long*)(Start + 8);

    /// <summary>What the block counts against the memory limit.</summary>
    public long SizeBytes => SizeOf(Capacity);

    public Span<byte> Value => BytesOf(Length);

    /// <summary>The value's room, whatever its length is at present.</summary>
    public Span<byte> Room => BytesOf(Capacity);

    private ref int References => ref *(int*)Start;

    private byte* Start
    {
        get
        {
            AddressCheck.InRange(_start, HeaderLength);
            return _start;
        }
    }

    private bool HasPages => (*(long*)(Start + 8) & HasPagesBit) != 0;

    public static long SizeOf(int capacity)
    {
        long length = (long)capacity + HeaderLength;
        return length < PagesMin ? length + AllocatorOverhead : (length + PageSize - 1) & -PageSize;
    }

    /// <summary>A block with one reference, its value undefined; false if the system has no memory.</summary>
    public static bool TryCreate(int length, int capacity, SparePages spare, out LargeBlock block)
    {
        Debug.Assert(length <= capacity);
        byte* start = null;
        if (capacity + (long)HeaderLength >= PagesMin)
        {
            long size = SizeOf(capacity);
            start = spare.TryTake(size);
            if (start is null)
                start = NativeReservation.TryMapPages(size);
        }

        bool hasPages = start is not null;
        if (!hasPages && !TryAllocate(capacity, out start))
        {
            block = default;
            return false;
        }

        AddressCheck.Register(start, (long)capacity + HeaderLength);
        *(int*)start = 1;
        *(int*)(start + 4) = length;
        *(long*)(start + 8) = capacity + (hasPages ? HasPagesBit : 0);
        block = new LargeBlock(start);
        return true;
    }

    public static LargeBlock ReadStub(ReadOnlySpan<byte> stub) => new((byte*)MemoryMarshal.Read<nuint>(stub));

    public void WriteStub(Span<byte> stub) => MemoryMarshal.Write(stub, (nuint)_start);

    /// <summary>Takes another reference; the caller holds one, or the lock of the bucket that guards one.</summary>
    public void AddReference() => Interlocked.Increment(ref References);

    /// <summary>Drops a reference.</summary>
    /// <returns>The bytes that were freed with the last one, else 0.</returns>
    public long Release(SparePages spare)
    {
        long size = SizeBytes;
        if (Interlocked.Decrement(ref References) != 0)
            return 0;
        bool hasPages = HasPages;
        AddressCheck.Unregister(_start);
        if (hasPages)
            spare.Give(_start, size);
        else
            NativeMemory.Free(_start);
        return size;
    }

    private static bool TryAllocate(int capacity, out byte* start)
    {
        try
        {
            start = (byte*)NativeMemory.Alloc((nuint)capacity + HeaderLength);
            return true;
        }
        catch (OutOfMemoryException)
        {
            start = null;
            return false;
        }
    }

    private Span<byte> BytesOf(int length)
    {
        AddressCheck.InRange(_start + HeaderLength, length);
        return new Span<byte>(_start + HeaderLength, length);
    }
}
