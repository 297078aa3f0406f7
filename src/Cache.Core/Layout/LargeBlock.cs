using System.Buffers;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>A value too long for a segment, in a run of the page heap, with a reference count.</summary>
/// <remarks>
/// <code>
///  0           4         8          12      16              16 + length   16 + capacity
///  ├───────────┼─────────┼──────────┼───────┼───────────────┼─────────────┤
///  │references │ length  │ capacity │ units │ value         │ room        │
///  └───────────┴─────────┴──────────┴───────┴───────────────┴─────────────┘
/// </code>
/// The units are those of the run that it takes. The record holds one reference, guarded by the home bucket of its key;
/// a reader takes another one under that bucket's lock, and copies without the lock. Dropping the last one frees the
/// block. With a single reference the holder of the home bucket may change the value in place; else it is copied first.
/// A checked build knows each block from its creation to its release, and throws if another address, or a freed one, is
/// used.
/// </remarks>
internal readonly unsafe struct LargeBlock(byte* start)
{
    /// <summary>The bytes of a block's address in a record.</summary>
    public const int StubLength = 8;

    private const int HeaderLength = 16;

    // The longest run has 512 MB and a header: its length takes 32 bits, if counted in units.
    private const int UnitShift = 9;

    private readonly byte* _start = start;

    public bool IsNull => _start is null;

    public bool IsSame(LargeBlock other) => _start == other._start;

    public bool IsShared => HasMoreThan(1);

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

    public int Capacity => *(int*)(Start + 8);

    /// <summary>The bytes that the block counts against the memory limit.</summary>
    public long SizeBytes => (long)*(int*)(Start + 12) << UnitShift;

    public Span<byte> Value => BytesOf(Length);

    /// <summary>
    /// The value as memory; valid while the caller holds a reference to the block. Whoever gives that back disposes of
    /// this first: then the memory refuses to be read.
    /// </summary>
    public MemoryManager<byte> TakeMemory() => new BlockMemory(this);

    /// <summary>The value's room, whatever its present length.</summary>
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

    /// <summary>The bytes that a block takes of a heap.</summary>
    public static long SizeOf(int capacity, PageHeap heap) => heap.SizeOf((long)capacity + HeaderLength);

    /// <summary>A block with one reference, its value undefined; false if the system has no memory.</summary>
    public static bool TryCreate(int length, int capacity, PageHeap heap, out LargeBlock block)
    {
        Debug.Assert(length <= capacity);
        long size = SizeOf(capacity, heap);
        Debug.Assert(size % (1 << UnitShift) == 0);
        byte* start = heap.TryTake(size);
        if (start is null)
        {
            block = default;
            return false;
        }

        AddressCheck.Register(start, (long)capacity + HeaderLength);
        *(int*)start = 1;
        *(int*)(start + 4) = length;
        *(int*)(start + 8) = capacity;
        *(int*)(start + 12) = (int)(size >> UnitShift);
        block = new LargeBlock(start);
        return true;
    }

    public static LargeBlock ReadStub(ReadOnlySpan<byte> stub) => new((byte*)MemoryMarshal.Read<nuint>(stub));

    public void WriteStub(Span<byte> stub) => MemoryMarshal.Write(stub, (nuint)_start);

    /// <summary>Whether there are more references than this.</summary>
    public bool HasMoreThan(int references) => Volatile.Read(ref References) > references;

    /// <summary>Takes another reference; the caller holds one, or the lock of the bucket that guards one.</summary>
    public void AddReference()
    {
        int references = Interlocked.Increment(ref References);
        Debug.Assert(references > 1, "The block was not freed meanwhile.");
    }

    /// <summary>Drops a reference.</summary>
    /// <returns>The bytes that were freed with the last one, else 0.</returns>
    public long Release(PageHeap heap)
    {
        long size = SizeBytes;
        int left = Interlocked.Decrement(ref References);
        Debug.Assert(left >= 0, "Only a holder drops a reference.");
        if (left != 0)
            return 0;
        AddressCheck.Unregister(_start);
        heap.Give(_start, size);
        return size;
    }

    private Span<byte> BytesOf(int length)
    {
        AddressCheck.InRange(_start + HeaderLength, length);
        return new Span<byte>(_start + HeaderLength, length);
    }

    private sealed class BlockMemory(LargeBlock block) : MemoryManager<byte>
    {
        // The length stays: slices that are there already are checked against it.
        private readonly int _length = block.Length;
        private LargeBlock _block = block;

        public override Memory<byte> Memory => CreateMemory(_length);

        public override Span<byte> GetSpan()
        {
            if (_block.IsNull)
                ThrowDisposed();
            return _block.BytesOf(_length);
        }

        // It never moves.
        public override MemoryHandle Pin(int elementIndex = 0)
        {
            Debug.Assert((uint)elementIndex <= (uint)_length);
            fixed (byte* start = GetSpan()[elementIndex..])
                return new MemoryHandle(start);
        }

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing) => _block = default;

        private static void ThrowDisposed() =>
            throw new ObjectDisposedException("LentValue", "The lent value of this memory was disposed.");
    }
}
