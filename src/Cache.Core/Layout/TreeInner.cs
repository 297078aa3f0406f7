using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cache.Core.Layout;

/// <summary>An inner page: children, how many elements are below each, and what separates them.</summary>
/// <remarks>
/// <code>
///  │ header │ key × n │ count 4 × n │ child 4 × n │ offset 2 × n │ free │ separators │
/// </code>
/// In columns, so that a rank adds up the counts alone. A separator is greater than all elements to its left and not
/// greater than any to its right: a key, and of the bytes as many as tell equal keys apart (offset 0: none). That of
/// the first child is never compared: what is less than all is there.
/// </remarks>
internal readonly unsafe struct TreeInner<TOrder>
    where TOrder : struct, ITreeOrder
{
    private const int NumberSize = sizeof(uint);

    private readonly TreePage _page;

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A handle.
    public TreeInner(TreePage page)
    {
        _page = page;
        Count = Math.Min(page.Count, CountMax);
    }

    /// <summary>The most children; readers of garbage go no further.</summary>
    public static int CountMax => (TreePage.SizeMax - TreePage.HeaderSize) / CellSize;

    /// <summary>What a child takes without its separator's bytes.</summary>
    public static int CellSize => TOrder.KeySize + NumberSize + NumberSize + sizeof(ushort);

    public TreePage Page => _page;

    /// <summary>The number of children when the handle was made, of those that a page can have.</summary>
    public int Count { get; }

    public int LiveBytes => Count * CellSize + _page.Length - _page.HeapStart - _page.Garbage;

    public int FreeBytes => _page.HeapStart - TreePage.HeaderSize - Count * CellSize;

    private byte* Keys => _page.Start + TreePage.HeaderSize;

    private uint* Counts => (uint*)(Keys + Count * TOrder.KeySize);

    private uint* Children => Counts + Count;

    private ushort* Offsets => (ushort*)(Children + Count);

    public static int SizeOf(ReadOnlySpan<byte> separator) =>
        CellSize + (separator.IsEmpty ? 0 : TreeEntry.SizeOfPart(separator, isStub: false));

    public int SizeOf(int index) => SizeOf(SeparatorAt(index));

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load.
    public ulong KeyAt(int index)
    {
        Debug.Assert((uint)index <= (uint)CountMax);
        return TreeKey.Read<TOrder>(Keys + index * TOrder.KeySize);
    }

    public uint ChildAt(int index)
    {
        Debug.Assert((uint)index <= (uint)CountMax);
        return Children[index];
    }

    public uint CountAt(int index)
    {
        Debug.Assert((uint)index <= (uint)CountMax);
        return Counts[index];
    }

    /// <summary>Whether the separator is more than its key.</summary>
    public bool HasSeparatorBytes(int index) => Offsets[index] != 0;

    public ReadOnlySpan<byte> SeparatorAt(int index)
    {
        Debug.Assert((uint)index <= (uint)CountMax);
        return _page.NameAt(Offsets[index]);
    }

    /// <summary>The child that an element is in, or would be.</summary>
    public int IndexOf(ulong key, ReadOnlySpan<byte> name)
    {
        int low = 1, high = Count;
        while (low < high)
        {
            int middle = (low + high) >>> 1;
            ulong other = KeyAt(middle);
            if (other < key || (other == key && SeparatorAt(middle).SequenceCompareTo(name) <= 0))
                low = middle + 1;
            else
                high = middle;
        }

        return low - 1;
    }

    /// <summary>The same by a hash alone, of hashes that are evenly spread between two bounds.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A search by hash is this, once for each level.
    public int GuessIndexOf(ulong key, ulong low, ulong high) =>
        TreeKey.Guess(Keys, TOrder.KeySize, 1, Count, key + 1, low, high) - 1;

    /// <summary>How many elements are in the children before one.</summary>
    public uint CountBefore(int index)
    {
        Debug.Assert((uint)index <= (uint)Count);
        uint* counts = Counts;
        int i = 0;
        var sums = Vector128<uint>.Zero;
        for (; i + Vector128<uint>.Count <= index; i += Vector128<uint>.Count)
            sums += Vector128.Load(counts + i);
        uint sum = Vector128.Sum(sums);
        for (; i < index; i++)
            sum += counts[i];
        return sum;
    }

    /// <summary>The child that has the element of a rank, the last one if there are fewer.</summary>
    /// <param name="rank">The rank in this page; becomes that in the child.</param>
    public int IndexOfRank(ref uint rank)
    {
        uint* counts = Counts;
        int i = 0;
        for (; i + Vector128<uint>.Count < Count; i += Vector128<uint>.Count)
        {
            uint sum = Vector128.Sum(Vector128.Load(counts + i));
            if (rank < sum)
                break;
            rank -= sum;
        }

        for (; i < Count - 1 && rank >= counts[i]; i++)
            rank -= counts[i];
        return i;
    }

    public void SetChild(int index, uint child)
    {
        Debug.Assert((uint)index < (uint)Count);
        AddressCheck.InRange(Children + index, NumberSize);
        Children[index] = child;
    }

    public void SetCount(int index, uint count)
    {
        Debug.Assert((uint)index < (uint)Count);
        AddressCheck.InRange(Counts + index, NumberSize);
        Counts[index] = count;
    }

    /// <summary>Adds a child; there is room.</summary>
    /// <returns>A handle that knows of it.</returns>
    public TreeInner<TOrder> Insert(int index, ulong key, ReadOnlySpan<byte> separator, uint child, uint count)
    {
        Debug.Assert((uint)index <= (uint)Count);
        Debug.Assert(FreeBytes >= SizeOf(separator));
        int offset = separator.IsEmpty ? 0 : _page.WriteEntry(new TreeEntry(separator, default), hasValue: false);
        var larger = Spread(index, 1);
        larger.SetCell(index, key, offset, child, count);
        return larger;
    }

    /// <summary>Removes a child and its separator.</summary>
    /// <returns>A handle that knows of it.</returns>
    public TreeInner<TOrder> RemoveAt(int index)
    {
        Debug.Assert((uint)index < (uint)Count);
        _page.DropEntry(Offsets[index], hasValue: false);
        return Spread(index + 1, -1);
    }

    /// <summary>Removes the last children of a page that is going; their separators stay where they are.</summary>
    public void Truncate(int count)
    {
        Debug.Assert(count >= 0 && count <= Count);
        Spread(Count, count - Count);
    }

    /// <summary>Adds children of another page behind its own; there is room.</summary>
    public TreeInner<TOrder> Append(TreeInner<TOrder> source, int from, int to)
    {
        Debug.Assert(from >= 0 && to <= source.Count);
        var all = this;
        if (from >= to)
            return all;
        int first = Count;
        all = Spread(first, to - from);
        for (int i = from; i < to; i++)
        {
            int offset = _page.CopyEntry(source._page, source.Offsets[i], hasValue: false);
            all.SetCell(first + i - from, source.KeyAt(i), offset, source.Children[i], source.Counts[i]);
        }

        Debug.Assert(all.FreeBytes >= 0);
        return all;
    }

    /// <summary>Moves the separators together, so that all free bytes are in one place.</summary>
    public void Compact()
    {
        _page.Compact((byte*)Offsets, sizeof(ushort), hasValue: false);
        Debug.Assert(_page.Garbage == 0 && FreeBytes >= 0);
    }

    // Moves the cells from an index on, and the columns behind theirs, up or down.
    private TreeInner<TOrder> Spread(int index, int by)
    {
        int count = Count, other = count + by, tail = count - index;
        Debug.Assert((uint)other <= (uint)CountMax);
        Debug.Assert(tail >= 0 && index + by >= 0);
        var before = this;
        _page.Count = other;
        var after = new TreeInner<TOrder>(_page);
        AddressCheck.InRange(Keys, Math.Max(count, other) * CellSize);
        int kept = Math.Min(index, index + by); // Cells that stay before the gap.
        if (by > 0)
        {
            Move(before.Offsets + index, after.Offsets + index + by, tail * sizeof(ushort));
            Move(before.Offsets, after.Offsets, kept * sizeof(ushort));
            Move(before.Children + index, after.Children + index + by, tail * NumberSize);
            Move(before.Children, after.Children, kept * NumberSize);
            Move(before.Counts + index, after.Counts + index + by, tail * NumberSize);
            Move(before.Counts, after.Counts, kept * NumberSize);
            Move(Keys + index * TOrder.KeySize, Keys + (index + by) * TOrder.KeySize, tail * TOrder.KeySize);
            return after;
        }

        Move(Keys + index * TOrder.KeySize, Keys + (index + by) * TOrder.KeySize, tail * TOrder.KeySize);
        Move(before.Counts, after.Counts, kept * NumberSize);
        Move(before.Counts + index, after.Counts + index + by, tail * NumberSize);
        Move(before.Children, after.Children, kept * NumberSize);
        Move(before.Children + index, after.Children + index + by, tail * NumberSize);
        Move(before.Offsets, after.Offsets, kept * sizeof(ushort));
        Move(before.Offsets + index, after.Offsets + index + by, tail * sizeof(ushort));
        return after;
    }

    private static void Move(void* from, void* to, int length) => Buffer.MemoryCopy(from, to, length, length);

    private void SetCell(int index, ulong key, int offset, uint child, uint count)
    {
        Debug.Assert((uint)index < (uint)Count);
        TreeKey.Write<TOrder>(Keys + index * TOrder.KeySize, key);
        Counts[index] = count;
        Children[index] = child;
        Offsets[index] = (ushort)offset;
    }
}
