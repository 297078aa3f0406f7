using System.Diagnostics;
using System.Runtime.InteropServices;
using Cache.Durability.Format;

namespace Cache.Durability.Staging;

/// <summary>Memory for one block: threads fill the places that they have reserved, then one writes it.</summary>
/// <remarks>
/// Pinned or mapped, so that the system can write it without a copy, and aligned for files that bypass the page cache.
/// It begins with room for the block's header. Complete when all reserved bytes are filled.
/// </remarks>
internal sealed class StagingChunk
{
    public const int Size = BlockHeader.PayloadBytesMax;

    private readonly SharedRing? _ring;
    private readonly byte[] _bytes = [];
    private readonly int _start;
    private readonly List<LongValue> _longValues = [];
    private FilledBytes _filled;

    /// <param name="slot">Its index among the chunks.</param>
    /// <param name="ring">Has its memory; null: it has its own.</param>
    public StagingChunk(int slot, SharedRing? ring = null)
    {
        (Slot, _ring) = (slot, ring);
        if (ring != null)
            return;
        _bytes = GC.AllocateUninitializedArray<byte>(Size + FileHeader.DirectAlignment, pinned: true);
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
    public bool IsWhole => Volatile.Read(ref FilledCount) == Used - BlockHeader.Size;

    /// <summary>The long values of its records; valid for a complete chunk.</summary>
    public IReadOnlyList<LongValue> LongValues => _longValues;

    /// <summary>All its memory.</summary>
    public Memory<byte> Memory => _ring?.MemoryOf(Slot) ?? _bytes.AsMemory(_start, Size);

    public Span<byte> Slice(int offset, int length)
    {
        Debug.Assert(offset >= BlockHeader.Size);
        Debug.Assert(offset + length <= Size);
        return _ring != null ? _ring.Slice(Slot, offset, length) : _bytes.AsSpan(_start + offset, length);
    }

    /// <summary>Begins a new use.</summary>
    /// <param name="sequence">Its number.</param>
    /// <param name="previous">The chunk before it; 0 if none belongs to it.</param>
    public void Open(long sequence, long previous = 0)
    {
        Debug.Assert(_longValues.Count == 0);
        (Sequence, Used) = (sequence, 0);
        Volatile.Write(ref FilledCount, 0);
        _ring?.Open(Slot, sequence, previous);
    }

    public void Seal(int used)
    {
        Used = used;
        _ring?.Seal(Slot, used);
    }

    /// <summary>Ends a use: what it has is in a file, or dropped.</summary>
    public void End()
    {
        ReleaseLongValues();
        _ring?.Free(Slot);
    }

    /// <summary>Counts further filled bytes; a release write for the thread that writes the chunk.</summary>
    public void Fill(int offset, int length)
    {
        _ring?.Mark(Slot, Sequence, offset, length);
        Interlocked.Add(ref FilledCount, length);
    }

    /// <summary>
    /// Adds a value that must be written before the chunk; called before the place of its record is filled.
    /// </summary>
    public void Add(LongValue value)
    {
        lock (_longValues)
            _longValues.Add(value);
    }

    // In the ring, if there is one: it tells a start whether a place is missing, or was never completed.
    private ref int FilledCount => ref _ring != null ? ref _ring.FilledOf(Slot) : ref _filled.Count;

    // Those that its records refer to.
    private void ReleaseLongValues()
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
