using System.Diagnostics;
using System.Runtime.InteropServices;
using Cache.Durability.Format;

namespace Cache.Durability.Staging;

/// <summary>Memory for one block: threads fill the places that they have reserved, then one writes it.</summary>
/// <remarks>
/// Pinned, so that the system can write it without a copy, and aligned for files that bypass the page cache. It begins
/// with room for the block's header. Complete when all reserved bytes are filled.
/// </remarks>
internal sealed class StagingChunk
{
    public const int Size = BlockHeader.PayloadBytesMax;

    private readonly byte[] _bytes =
        GC.AllocateUninitializedArray<byte>(Size + FileHeader.DirectAlignment, pinned: true);
    private readonly int _start;
    private readonly List<LongValue> _longValues = [];
    private FilledBytes _filled;

    public StagingChunk(int slot)
    {
        Slot = slot;
        long address = Marshal.UnsafeAddrOfPinnedArrayElement(_bytes, 0);
        _start = (int)(-address & (FileHeader.DirectAlignment - 1));
    }

    /// <summary>Its index among the chunks.</summary>
    public int Slot { get; }

    /// <summary>Its number in the order of all chunks; written under the gate before the cursor names it.</summary>
    public long Sequence { get; private set; }

    /// <summary>The reserved bytes, its header included; written under the gate when it is sealed.</summary>
    public int Used { get; private set; }

    /// <summary>Whether all places of a sealed chunk are filled.</summary>
    public bool IsWhole => Volatile.Read(ref _filled.Count) == Used - BlockHeader.Size;

    /// <summary>The long values of its records; valid for a complete chunk.</summary>
    public IReadOnlyList<LongValue> LongValues => _longValues;

    /// <summary>All its memory.</summary>
    public Memory<byte> Memory => _bytes.AsMemory(_start, Size);

    public Span<byte> Slice(int offset, int length)
    {
        Debug.Assert(offset >= BlockHeader.Size);
        Debug.Assert(offset + length <= Size);
        return _bytes.AsSpan(_start + offset, length);
    }

    /// <summary>Begins a new use.</summary>
    public void Open(long sequence)
    {
        Debug.Assert(_longValues.Count == 0);
        (Sequence, Used) = (sequence, 0);
        Volatile.Write(ref _filled.Count, 0);
    }

    public void Seal(int used) => Used = used;

    /// <summary>Counts further filled bytes; a release write for the thread that writes the chunk.</summary>
    public void Fill(int length) => Interlocked.Add(ref _filled.Count, length);

    /// <summary>
    /// Adds a value that must be written before the chunk; called before the place of its record is filled.
    /// </summary>
    public void Add(LongValue value)
    {
        lock (_longValues)
            _longValues.Add(value);
    }

    /// <summary>Releases the values that its records refer to.</summary>
    public void ReleaseLongValues()
    {
        foreach (var value in _longValues)
            value.Dispose();
        _longValues.Clear();
    }

    // On its own cache lines: all writing threads add to it.
    [StructLayout(LayoutKind.Explicit, Size = 128)]
    private struct FilledBytes
    {
        [FieldOffset(64)]
        public int Count;
    }
}
