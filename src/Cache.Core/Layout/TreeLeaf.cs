using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>A leaf: elements in their order.</summary>
/// <remarks>
/// <code>
///  slot    │ key 0, 4 or 8 │ offset 2 │          one behind the other, from the header on
/// </code>
/// Key and offset lie together: of a cold leaf, a search by hash touches the slot's line and the entry's.
/// </remarks>
internal readonly unsafe struct TreeLeaf<TOrder>
    where TOrder : struct, ITreeOrder
{
    /// <summary>The most slots; readers of garbage go no further.</summary>
    public static int CountMax => (TreePage.SizeMax - TreePage.HeaderSize) / SlotSize;

    public static int SlotSize => TOrder.KeySize + sizeof(ushort);

    private readonly TreePage _page;

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A handle.
    public TreeLeaf(TreePage page) => _page = page;

    public TreePage Page => _page;

    /// <summary>The number of elements, of those that a page can have.</summary>
    public int Count => Math.Min(_page.Count, CountMax);

    /// <summary>What the elements take: slots and entries.</summary>
    public int LiveBytes => _page.Count * SlotSize + _page.Length - _page.HeapStart - _page.Garbage;

    /// <summary>The bytes between slots and entries.</summary>
    public int FreeBytes => _page.HeapStart - TreePage.HeaderSize - _page.Count * SlotSize;

    private byte* Slots => _page.Start + TreePage.HeaderSize;

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Keeps the spans in registers.
    public TreeEntry EntryAt(int index) => _page.EntryAt(OffsetAt(index), TOrder.HasValue);

    public ReadOnlySpan<byte> NameAt(int index) => _page.NameAt(OffsetAt(index));

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load.
    public ulong KeyAt(int index)
    {
        Debug.Assert((uint)index <= (uint)CountMax);
        return TreeKey.Read<TOrder>(Slots + index * SlotSize);
    }

    /// <summary>What an element takes: slot and entry.</summary>
    public int SizeOf(int index) => SlotSize + EntryAt(index).SizeOf(TOrder.HasValue);

    /// <summary>What a new element takes.</summary>
    public static int SizeOf(in TreeEntry entry) => SlotSize + entry.SizeOf(TOrder.HasValue);

    /// <summary>The first element that is not less.</summary>
    public int IndexOf(ulong key, ReadOnlySpan<byte> name, int count)
    {
        byte* slots = Slots;
        int low = 0, high = count;
        while (low < high)
        {
            int middle = (low + high) >>> 1;
            ulong other = TreeKey.Read<TOrder>(slots + middle * SlotSize);
            if (other < key || (other == key && NameAt(middle).SequenceCompareTo(name) < 0))
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }

    /// <summary>The first element whose key is not less, of hashes that are evenly spread between two bounds.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A search by hash is this.
    public int GuessIndexOf(ulong key, ulong low, ulong high, int count) =>
        TreeKey.Guess(Slots, SlotSize, 0, count, key, low, high);

    public bool IsAt(int index, ulong key, ReadOnlySpan<byte> name) =>
        KeyAt(index) == key && NameAt(index).SequenceEqual(name);

    /// <summary>Adds an element; there is room between slots and entries.</summary>
    public void Insert(int index, ulong key, in TreeEntry entry)
    {
        int count = _page.Count;
        Debug.Assert((uint)index <= (uint)count);
        Debug.Assert(FreeBytes >= SizeOf(in entry));
        byte* slot = Slots + index * SlotSize;
        int tail = (count - index) * SlotSize;
        AddressCheck.InRange(slot, tail + SlotSize);
        Buffer.MemoryCopy(slot, slot + SlotSize, tail, tail);
        TreeKey.Write<TOrder>(slot, key);
        *(ushort*)(slot + TOrder.KeySize) = (ushort)_page.WriteEntry(in entry, TOrder.HasValue);
        _page.Count = count + 1;
        if (entry.HasStub)
            _page.StubCode = TOrder.Code;
    }

    public void RemoveAt(int index)
    {
        int count = _page.Count;
        Debug.Assert((uint)index < (uint)count);
        _page.DropEntry(OffsetAt(index), TOrder.HasValue);
        byte* slot = Slots + index * SlotSize;
        int tail = (count - index - 1) * SlotSize;
        AddressCheck.InRange(slot, tail + SlotSize);
        Buffer.MemoryCopy(slot + SlotSize, slot, tail, tail);
        _page.Count = count - 1;
    }

    /// <summary>Writes an element over one of the same length: another value, or another item.</summary>
    public void Overwrite(int index, in TreeEntry entry)
    {
        var old = _page.EntryAt(OffsetAt(index), TOrder.HasValue);
        Debug.Assert(old.SizeOf(TOrder.HasValue) == entry.SizeOf(TOrder.HasValue));
        Debug.Assert(!TOrder.HasValue || old.OrderedName.SequenceEqual(entry.OrderedName));
        _page.RewriteEntry(OffsetAt(index), in entry, TOrder.HasValue);
        if (entry.HasStub)
            _page.StubCode = TOrder.Code;
    }

    /// <summary>
    /// Makes the value of an element longer where it lies, if that is before the others and there is room.
    /// </summary>
    /// <param name="index">The element, whose value is no stub and has no moment.</param>
    /// <param name="by">The bytes more.</param>
    /// <param name="value">The value; its new bytes are the last ones, and undefined.</param>
    public bool TryGrow(int index, int by, out Span<byte> value)
    {
        value = default;
        if (OffsetAt(index) != _page.HeapStart || FreeBytes <= by) // The length may take a byte more.
            return false;
        value = _page.GrowFirst(by);
        *(ushort*)(Slots + index * SlotSize + TOrder.KeySize) = (ushort)_page.HeapStart;
        return true;
    }

    /// <summary>Adds elements of another leaf behind its own; there is room.</summary>
    public void Append(TreeLeaf<TOrder> source, int from, int to)
    {
        Debug.Assert(from >= 0);
        Debug.Assert(to <= source._page.Count);
        if (from >= to)
            return;
        int count = _page.Count, length = (to - from) * SlotSize;
        byte* slot = Slots + count * SlotSize;
        AddressCheck.InRange(slot, length);
        Buffer.MemoryCopy(source.Slots + from * SlotSize, slot, length, length);
        for (int i = from; i < to; i++, slot += SlotSize)
        {
            ushort* offset = (ushort*)(slot + TOrder.KeySize);
            *offset = (ushort)_page.CopyEntry(source._page, *offset, TOrder.HasValue);
        }

        _page.Count = count + to - from;
        Debug.Assert(FreeBytes >= 0);
        if (source._page.MayHaveStubs)
            _page.StubCode = TOrder.Code;
    }

    /// <summary>Copies a leaf without garbage to an empty one: two copies, and offsets that move.</summary>
    public void CopyTo(TreeLeaf<TOrder> other)
    {
        Debug.Assert(_page.Garbage == 0);
        Debug.Assert(other._page.Count == 0);
        int count = _page.Count, slots = count * SlotSize, entries = _page.Length - _page.HeapStart;
        int moved = other._page.Length - _page.Length;
        Debug.Assert(slots + entries <= other.FreeBytes);
        other._page.HeapStart = _page.HeapStart + moved;
        AddressCheck.InRange(other._page.Start, other._page.Length);
        Buffer.MemoryCopy(_page.Start + _page.HeapStart, other._page.Start + other._page.HeapStart, entries, entries);
        Buffer.MemoryCopy(Slots, other.Slots, slots, slots);
        for (byte* slot = other.Slots; slot < other.Slots + slots; slot += SlotSize)
            *(ushort*)(slot + TOrder.KeySize) += (ushort)moved;
        other._page.Count = count;
        if (_page.MayHaveStubs)
            other._page.StubCode = TOrder.Code;
    }

    /// <summary>Moves the entries together, so that all free bytes are in one place.</summary>
    public void Compact()
    {
        _page.Compact(Slots + TOrder.KeySize, SlotSize, TOrder.HasValue);
        Debug.Assert(_page.Garbage == 0 && FreeBytes >= 0);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load.
    private int OffsetAt(int index)
    {
        Debug.Assert((uint)index <= (uint)CountMax);
        return *(ushort*)(Slots + index * SlotSize + TOrder.KeySize);
    }
}
