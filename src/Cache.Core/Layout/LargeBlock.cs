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
/// holder of the home bucket may change the value in place; else it is copied first.
/// </remarks>
internal readonly unsafe struct LargeBlock(byte* start)
{
    /// <summary>What a record holds of a block: its address.</summary>
    public const int StubLength = 8;

    private const int HeaderLength = 16;

    // What the allocator keeps about an allocation.
    private const int AllocatorOverhead = 16;

    private readonly byte* _start = start;

    public bool IsNull => _start is null;

    public bool IsShared => Volatile.Read(ref References) != 1;

    public int Length
    {
        get => *(int*)(_start + 4);
        set
        {
            Debug.Assert(value >= 0);
            Debug.Assert(value <= Capacity);
            *(int*)(_start + 4) = value;
        }
    }

    public int Capacity => (int)*(long*)(_start + 8);

    /// <summary>What the block counts against the memory limit.</summary>
    public long SizeBytes => SizeOf(Capacity);

    public Span<byte> Value => new(_start + HeaderLength, Length);

    /// <summary>The value's room, whatever its length is at present.</summary>
    public Span<byte> Room => new(_start + HeaderLength, Capacity);

    private ref int References => ref *(int*)_start;

    public static long SizeOf(int capacity) => (long)capacity + HeaderLength + AllocatorOverhead;

    /// <summary>A block with one reference, its value undefined; false if the system has no memory.</summary>
    public static bool TryCreate(int length, int capacity, out LargeBlock block)
    {
        Debug.Assert(length <= capacity);
        byte* start;
        try
        {
            start = (byte*)NativeMemory.Alloc((nuint)capacity + HeaderLength);
        }
        catch (OutOfMemoryException)
        {
            block = default;
            return false;
        }

        *(int*)start = 1;
        *(int*)(start + 4) = length;
        *(long*)(start + 8) = capacity;
        block = new LargeBlock(start);
        return true;
    }

    public static LargeBlock ReadStub(ReadOnlySpan<byte> stub) => new((byte*)MemoryMarshal.Read<nuint>(stub));

    public void WriteStub(Span<byte> stub) => MemoryMarshal.Write(stub, (nuint)_start);

    /// <summary>Takes another reference; the caller holds one, or the lock of the bucket that guards one.</summary>
    public void AddReference() => Interlocked.Increment(ref References);

    /// <summary>Drops a reference.</summary>
    /// <returns>The bytes that were freed with the last one, else 0.</returns>
    public long Release()
    {
        long size = SizeBytes;
        if (Interlocked.Decrement(ref References) != 0)
            return 0;
        NativeMemory.Free(_start);
        return size;
    }
}
