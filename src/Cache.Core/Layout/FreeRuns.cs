using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>The free runs of a heap's grains: found by their length, joined with their neighbours.</summary>
/// <remarks>
/// A run is described by the entries of its first and its last grain in a table beside the memory, so that a neighbour
/// finds it, and nothing is written into memory that was given back to the system. Runs of a kind are listed in bins,
/// eight for each power of two. Runs of two kinds are not joined: a <i>resident</i> one may have memory, with any
/// content; an <i>empty</i> one has none. Grain 0 is never free: 0 means no run. Not thread-safe.
/// <code>
///  first grain of a run:  length │ next of its bin │ previous       last grain of a run:  length as the last one
///  (negative: resident)
/// </code>
/// </remarks>
internal sealed unsafe class FreeRuns : IDisposable
{
    private const int BinsPerPowerShift = 3;
    private const int BinsPerPower = 1 << BinsPerPowerShift;
    private const int BinCount = (32 - BinsPerPowerShift) * BinsPerPower;
    private const int BinWords = (BinCount + 63) / 64;

    // Within its own bin a run may be too short; no more than this many are tried.
    private const int TriesInBin = 8;

    private readonly NativeReservation _table;
    private readonly Place* _places;
    private readonly int _count;

    // By kind, then by bin: the first run, 0 if there is none; a bit for each bin that has one.
    private readonly int[] _heads = new int[2 * BinCount];
    private readonly ulong[] _filled = new ulong[2 * BinWords];
    private readonly long[] _grains = new long[2];

    /// <summary>Manages grains 1 to <paramref name="count"/> − 1; none is free at first.</summary>
    public FreeRuns(int count)
    {
        _count = count;
        long length = (count + 1L) * sizeof(Place);
        _table = new NativeReservation(length, length, hugePages: false);
        _places = (Place*)_table.Start;
    }

    /// <summary>The grains that are free and may have memory.</summary>
    public long ResidentCount => _grains[KindOf(true)];

    /// <summary>The grains that are free and have none.</summary>
    public long EmptyCount => _grains[KindOf(false)];

    /// <summary>Takes a run of this length from one of about that length, or a longer one.</summary>
    public bool TryTake(int length, bool resident, out int start)
    {
        Debug.Assert(length > 0);
        start = Find(length, resident);
        if (start == 0)
            return false;
        TakeFirst(start, length, resident);
        return true;
    }

    /// <summary>Takes the shortest resident run, which is least useful, or a part of it.</summary>
    public bool TryTakeShortest(long lengthMax, out int start, out int length)
    {
        Debug.Assert(lengthMax > 0);
        int bin = FirstBin(0, resident: true);
        (start, length) = (0, 0);
        if (bin < 0)
            return false;
        start = _heads[KindOf(true) * BinCount + bin];
        length = (int)Math.Min(lengthMax, LengthOf(At(start).Length));
        TakeFirst(start, length, resident: true);
        return true;
    }

    /// <summary>Takes the last grains of one of the longest resident runs, if it is of this length at least.</summary>
    public bool TryTakeOfLongest(long lengthMin, long lengthMax, out int start, out int length)
    {
        Debug.Assert(lengthMax > 0);
        (start, length) = (0, 0);
        int bin = LastBin(resident: true);
        if (bin < 0)
            return false;
        int first = _heads[KindOf(true) * BinCount + bin];
        int whole = LengthOf(At(first).Length);
        if (whole < lengthMin)
            return false;
        length = (int)Math.Min(lengthMax, whole);
        start = first + whole - length;
        Remove(first, resident: true);
        if (whole > length)
            Add(first, whole - length, resident: true);
        return true;
    }

    /// <summary>Takes the parts that free neighbours without memory have of a run's first and last page.</summary>
    /// <remarks>The run itself is not in use: so such a page can be given back as a whole.</remarks>
    /// <returns>Whether they had any.</returns>
    public bool TakePagesAround(ref int start, ref int length, int pageGrains)
    {
        Debug.Assert(start > 0 && length > 0);
        Debug.Assert(BitOperations.IsPow2(pageGrains));
        int end = start + length;
        int before = Math.Min(start & (pageGrains - 1), Math.Max(0, At(start - 1).LengthAsLast));
        if (before > 0)
        {
            int neighbour = At(start - 1).LengthAsLast;
            Remove(start - neighbour, resident: false);
            AddUnlessEmpty(start - neighbour, neighbour - before);
        }

        int after = Math.Min(-end & (pageGrains - 1), Math.Max(0, At(end).Length));
        if (after > 0)
        {
            int neighbour = At(end).Length;
            Remove(end, resident: false);
            AddUnlessEmpty(end + after, neighbour - after);
        }

        start -= before;
        length += before + after;
        return before + after > 0;
    }

    /// <summary>Makes a run free, joined with neighbours of its kind.</summary>
    public void Give(int start, int length, bool resident)
    {
        Debug.Assert(start > 0);
        Debug.Assert(length > 0);
        Debug.Assert(start + (long)length <= _count);
        int before = At(start - 1).LengthAsLast;
        if (IsOf(before, resident))
        {
            start -= LengthOf(before);
            length += LengthOf(before);
            Remove(start, resident);
        }

        int after = At(start + length).Length;
        if (IsOf(after, resident))
        {
            Remove(start + length, resident);
            length += LengthOf(after);
        }

        Add(start, length, resident);
    }

    public void Dispose() => _table.Dispose();

    /// <summary>Throws unless bins, ends and counts agree.</summary>
    [Conditional("DEBUG")]
    public void AssertValid()
    {
        foreach (bool resident in (ReadOnlySpan<bool>)[false, true])
        {
            long grains = 0;
            for (int bin = 0; bin < BinCount; bin++)
            {
                int previous = 0;
                int head = _heads[KindOf(resident) * BinCount + bin];
                Debug.Assert((head != 0) == (FirstBin(bin, resident) == bin));
                for (int start = head; start != 0; previous = start, start = At(start).Next)
                {
                    ref var first = ref At(start);
                    int length = LengthOf(first.Length);
                    Debug.Assert(first.Previous == previous);
                    Debug.Assert(IsOf(first.Length, resident));
                    Debug.Assert(BinOf(length) == bin);
                    Debug.Assert(At(start + length - 1).LengthAsLast == first.Length);
                    Debug.Assert(!IsOf(At(start + length).Length, resident), "Neighbours are joined.");
                    grains += length;
                }
            }

            Debug.Assert(grains == _grains[KindOf(resident)]);
        }
    }

    private static int KindOf(bool resident) => resident ? 1 : 0;

    private static int LengthOf(int signed) => Math.Abs(signed);

    private static bool IsOf(int signed, bool resident) => resident ? signed < 0 : signed > 0;

    // Below 2 × BinsPerPower each length has a bin of its own.
    private static int BinOf(int length)
    {
        if (length < BinsPerPower)
            return length;
        int power = BitOperations.Log2((uint)length);
        int part = (length >> (power - BinsPerPowerShift)) & (BinsPerPower - 1);
        return ((power - BinsPerPowerShift + 1) << BinsPerPowerShift) + part;
    }

    private int Find(int length, bool resident)
    {
        int bin = BinOf(length);
        int start = _heads[KindOf(resident) * BinCount + bin];
        for (int i = 0; start != 0 && i < TriesInBin; i++, start = At(start).Next)
        {
            if (LengthOf(At(start).Length) >= length)
                return start;
        }

        bin = FirstBin(bin + 1, resident);
        return bin < 0 ? 0 : _heads[KindOf(resident) * BinCount + bin];
    }

    /// <summary>The first bin from this one on that has a run; -1 if none has.</summary>
    private int FirstBin(int from, bool resident)
    {
        var words = _filled.AsSpan(KindOf(resident) * BinWords, BinWords);
        ulong mask = ulong.MaxValue << (from & 63);
        for (int i = from >> 6; i < BinWords; i++, mask = ulong.MaxValue)
        {
            if ((words[i] & mask) != 0)
                return i * 64 + BitOperations.TrailingZeroCount(words[i] & mask);
        }

        return -1;
    }

    /// <summary>The last bin that has a run; -1 if none has.</summary>
    private int LastBin(bool resident)
    {
        var words = _filled.AsSpan(KindOf(resident) * BinWords, BinWords);
        for (int i = BinWords - 1; i >= 0; i--)
        {
            if (words[i] != 0)
                return i * 64 + BitOperations.Log2(words[i]);
        }

        return -1;
    }

    private void TakeFirst(int start, int length, bool resident)
    {
        int whole = LengthOf(At(start).Length);
        Debug.Assert(whole >= length);
        Remove(start, resident);
        if (whole > length)
            Add(start + length, whole - length, resident);
    }

    private void AddUnlessEmpty(int start, int length)
    {
        if (length > 0)
            Add(start, length, resident: false);
    }

    private void Add(int start, int length, bool resident)
    {
        Debug.Assert(length > 0);
        Debug.Assert(At(start).Length == 0 && At(start + length - 1).LengthAsLast == 0, "No free run is there yet.");
        int signed = resident ? -length : length;
        int bin = BinOf(length);
        ref int head = ref _heads[KindOf(resident) * BinCount + bin];
        ref var first = ref At(start);
        first.Length = signed;
        first.Next = head;
        first.Previous = 0;
        At(start + length - 1).LengthAsLast = signed;
        if (head != 0)
            At(head).Previous = start;
        head = start;
        _filled[KindOf(resident) * BinWords + bin / 64] |= 1UL << (bin & 63);
        _grains[KindOf(resident)] += length;
    }

    private void Remove(int start, bool resident)
    {
        ref var first = ref At(start);
        Debug.Assert(IsOf(first.Length, resident));
        int length = LengthOf(first.Length);
        int bin = BinOf(length);
        if (first.Next != 0)
            At(first.Next).Previous = first.Previous;
        if (first.Previous != 0)
            At(first.Previous).Next = first.Next;
        else if ((_heads[KindOf(resident) * BinCount + bin] = first.Next) == 0)
            _filled[KindOf(resident) * BinWords + bin / 64] &= ~(1UL << (bin & 63));
        first.Length = 0;
        At(start + length - 1).LengthAsLast = 0;
        _grains[KindOf(resident)] -= length;
    }

    private ref Place At(int grain)
    {
        Debug.Assert((uint)grain <= (uint)_count);
        AddressCheck.InRange(_places + grain, sizeof(Place));
        return ref _places[grain];
    }

    /// <summary>The entry of a grain that is the first or the last of a free run; else zeros.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Place
    {
        public int Length;
        public int LengthAsLast;
        public int Next;
        public int Previous;
    }
}
