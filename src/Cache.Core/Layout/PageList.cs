using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>A page that lists others, which nothing else refers to; the first one of a list is a snapshot.</summary>
/// <remarks>
/// <code>
///  │ header 16: count, epoch │ next 4 │ older 4 │ newer 4 │ unused 4 │ page 4 │ page 4 │ …
/// </code>
/// </remarks>
internal readonly unsafe struct PageList(TreePage page)
{
    private const int NumbersStart = 32;

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

    public int Count => _page.Count;

    /// <summary>How many pages can be added.</summary>
    public int Room => (_page.Length - NumbersStart) / sizeof(uint) - _page.Count;

    public uint this[int index]
    {
        get
        {
            Debug.Assert((uint)index < (uint)Count);
            return ((uint*)(_start + NumbersStart))[index];
        }
    }

    /// <summary>Makes it empty and the only one.</summary>
    public void Clear()
    {
        var page = _page;
        AddressCheck.InRange(_start, NumbersStart);
        page.Count = 0;
        Next = Older = Newer = 0;
    }

    public void Add(uint number)
    {
        Debug.Assert(Room > 0);
        var page = _page;
        int count = page.Count;
        AddressCheck.InRange(_start + NumbersStart + count * sizeof(uint), sizeof(uint));
        ((uint*)(_start + NumbersStart))[count] = number;
        page.Count = count + 1;
    }

    /// <summary>Takes the page that was added last.</summary>
    public uint TakeLast()
    {
        Debug.Assert(Count > 0);
        var page = _page;
        uint last = this[page.Count - 1];
        page.Count--;
        return last;
    }

    private ref uint Link(int index)
    {
        Debug.Assert(index is >= 0 and <= 2);
        AddressCheck.InRange(_start, NumbersStart);
        return ref ((uint*)(_start + TreePage.HeaderSize))[index];
    }
}
