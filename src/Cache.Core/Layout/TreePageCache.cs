using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>A few pages of each length, given back and ready to be taken, without the gate of all pages.</summary>
/// <remarks>
/// One for each stripe of threads. They count as used. Its gate is only tried: who finds it held goes to the slabs.
/// </remarks>
internal sealed class TreePageCache(int pagesPerLength)
{
    /// <summary>The most that pay: who splits and merges takes and gives one or two at a time.</summary>
    public const int PagesPerLengthMax = 8;

    private readonly Lock _gate = new();

    // Guarded by the gate. The pages of a length lie one behind the other.
    private readonly uint[] _pages = new uint[TreePage.GrainsMax * PagesPerLengthMax];
    private readonly byte[] _counts = new byte[TreePage.GrainsMax];

    public bool TryTake(int grains, out uint page)
    {
        Debug.Assert(grains is >= 1 and <= TreePage.GrainsMax);
        page = 0;
        if (pagesPerLength == 0 || !_gate.TryEnter())
            return false;
        try
        {
            ref byte count = ref _counts[grains - 1];
            if (count == 0)
                return false;
            page = _pages[(grains - 1) * PagesPerLengthMax + --count];
            return true;
        }
        finally
        {
            _gate.Exit();
        }
    }

    public bool TryGive(int grains, uint page)
    {
        Debug.Assert(grains is >= 1 and <= TreePage.GrainsMax);
        Debug.Assert(pagesPerLength <= PagesPerLengthMax);
        if (pagesPerLength == 0 || !_gate.TryEnter())
            return false;
        try
        {
            ref byte count = ref _counts[grains - 1];
            if (count >= pagesPerLength)
                return false;
            _pages[(grains - 1) * PagesPerLengthMax + count++] = page;
            return true;
        }
        finally
        {
            _gate.Exit();
        }
    }

    /// <summary>Takes all pages out of it.</summary>
    /// <returns>How many there were.</returns>
    public int TakeAll(Span<uint> pages)
    {
        Debug.Assert(pages.Length >= _pages.Length);
        int taken = 0;
        lock (_gate)
        {
            for (int i = 0; i < _counts.Length; i++)
            {
                _pages.AsSpan(i * PagesPerLengthMax, _counts[i]).CopyTo(pages[taken..]);
                taken += _counts[i];
                _counts[i] = 0;
            }
        }

        return taken;
    }
}
