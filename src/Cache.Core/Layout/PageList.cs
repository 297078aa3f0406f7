using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>A page that lists others, which nothing else refers to; the first one of a list is a snapshot.</summary>
/// <remarks>
/// <code>
///  │ header 16: count, epoch │ next 4 │ older 4 │ newer 4 │ unsettled 4 │ page 4, epoch 4 │ page 4, epoch 4 │ …
/// </code>
/// </remarks>
internal readonly unsafe struct PageList(TreePage page)
{
    private const int NumbersStart = 32;
    private const int EntrySize = 2 * sizeof(uint);

    private readonly byte* _start = page.Start;
    private readonly TreePage _page = page;

    /// <summary>The next page of the same list; 0: none.</summary>
    public uint Next
    {
        get => Link(0);
        set => Link(0) = value;
    }

    /// <summary>The snapshot taken before.</summary>
    public uint Older
    {
        get => Link(1);
        set => Link(1) = value;
    }

    /// <summary>The snapshot taken after.</summary>
    public uint Newer
    {
        get => Link(2);
        set => Link(2) = value;
    }

    /// <summary>The first list of newer snapshots that have ended: of its pages this one may have some.</summary>
    public uint Unsettled
    {
        get => Link(3);
        set => Link(3) = value;
    }

    public int Count => _page.Count;

    /// <summary>How many pages can be added.</summary>
    public int Room => (_page.Length - NumbersStart) / EntrySize - _page.Count;

    private uint* Entries => (uint*)(_start + NumbersStart);

    /// <summary>A listed page, and the epoch in which it was made.</summary>
    public (uint Page, uint Epoch) this[int index]
    {
        get
        {
            Debug.Assert((uint)index < (uint)Count);
            return (Entries[2 * index], Entries[2 * index + 1]);
        }
    }

    /// <summary>Makes it empty and the only one.</summary>
    public void Clear()
    {
        var page = _page;
        AddressCheck.InRange(_start, NumbersStart);
        page.Count = 0;
        Next = Older = Newer = Unsettled = 0;
    }

    public void Add(uint number, uint epoch)
    {
        var page = _page;
        int count = page.Count;
        if (Room <= 0)
            ThrowFull(); // Beyond it is another page.
        AddressCheck.InRange(_start + NumbersStart + count * EntrySize, EntrySize);
        Entries[2 * count] = number;
        Entries[2 * count + 1] = epoch;
        page.Count = count + 1;
    }

    /// <summary>Takes the page that was added last.</summary>
    public uint TakeLast(out uint epoch)
    {
        Debug.Assert(Count > 0);
        var page = _page;
        (uint last, epoch) = this[page.Count - 1];
        page.Count--;
        return last;
    }

    /// <summary>Lists the last page at a place instead of the one that is there, which is taken.</summary>
    public uint TakeAt(int index)
    {
        Debug.Assert((uint)index < (uint)Count);
        uint taken = Entries[2 * index];
        uint last = TakeLast(out uint epoch);
        AddressCheck.InRange(_start + NumbersStart + index * EntrySize, EntrySize);
        (Entries[2 * index], Entries[2 * index + 1]) = (last, epoch);
        return taken;
    }

    private static void ThrowFull() => throw new InvalidOperationException("A list of pages is full.");

    private ref uint Link(int index)
    {
        Debug.Assert(index is >= 0 and <= 3);
        AddressCheck.InRange(_start, NumbersStart);
        return ref ((uint*)(_start + TreePage.HeaderSize))[index];
    }
}
