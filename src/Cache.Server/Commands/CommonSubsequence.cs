using System.Buffers;

namespace Cache.Server.Commands;

/// <summary>The longest common subsequence of two byte strings; of several, the one that Redis gives.</summary>
/// <remarks>
/// Algorithm: the usual table of lengths, L(i, j) for the first i and j bytes. The way back needs of each cell only
/// whether L(i − 1, j) > L(i, j − 1), so one bit per cell is kept, and of the lengths one row along the shorter string.
/// Memory is a 32nd of Redis's; time is the product of the lengths, which the caller bounds.
/// </remarks>
internal readonly ref struct CommonSubsequence : IDisposable
{
    private readonly ReadOnlySpan<byte> _first;
    private readonly ReadOnlySpan<byte> _second;

    // Bit i × (length of second + 1) + j; empty if only the length was asked for.
    private readonly byte[] _directions = [];

    public CommonSubsequence(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, bool isLengthOnly)
    {
        _first = first;
        _second = second;
        if (!isLengthOnly)
        {
            int bytes = (int)(((first.Length + 1L) * (second.Length + 1L) / 8) + 1);
            _directions = ArrayPool<byte>.Shared.Rent(bytes);
            _directions.AsSpan(0, bytes).Clear();
        }

        Length = first.Length >= second.Length ? Fill(first, second, false) : Fill(second, first, true);
    }

    /// <summary>The number of bytes in common.</summary>
    public int Length { get; }

    public void Dispose()
    {
        if (_directions.Length > 0)
            ArrayPool<byte>.Shared.Return(_directions);
    }

    /// <summary>Copies the subsequence.</summary>
    public void CopyTo(Span<byte> destination)
    {
        int rest = Length;
        int i = _first.Length;
        int j = _second.Length;
        while (rest > 0)
        {
            if (TakesBoth(i, j))
            {
                destination[--rest] = _first[--i];
                j--;
            }
            else
            {
                StepBack(ref i, ref j);
            }
        }
    }

    /// <summary>The stretches that the subsequence consists of, the last one first.</summary>
    /// <param name="lengthMin">Shorter ones are left out.</param>
    public List<CommonRange> FindRanges(long lengthMin)
    {
        var ranges = new List<CommonRange>();
        int i = _first.Length;
        int j = _second.Length;
        while (i > 0 && j > 0)
        {
            int length = 0;
            while (i > 0 && j > 0 && TakesBoth(i, j))
            {
                i--;
                j--;
                length++;
            }

            if (length > 0 && length >= lengthMin)
                ranges.Add(new CommonRange(i, j, length));
            if (i > 0 && j > 0)
                StepBack(ref i, ref j);
        }

        return ranges;
    }

    private bool TakesBoth(int i, int j) => _first[i - 1] == _second[j - 1];

    private void StepBack(ref int i, ref int j)
    {
        long bit = BitOf(i, j);
        if ((_directions[bit >> 3] & (1 << (int)(bit & 7))) != 0)
            i--;
        else
            j--;
    }

    private long BitOf(int i, int j) => (i * (_second.Length + 1L)) + j;

    /// <summary>Computes the lengths row by row of the longer string, and from them the directions.</summary>
    private int Fill(ReadOnlySpan<byte> longer, ReadOnlySpan<byte> shorter, bool isSwapped)
    {
        uint[] row = ArrayPool<uint>.Shared.Rent(shorter.Length + 1);
        row.AsSpan(0, shorter.Length + 1).Clear();
        for (int l = 1; l <= longer.Length; l++)
        {
            uint diagonal = 0;
            for (int s = 1; s <= shorter.Length; s++)
            {
                uint above = row[s];
                uint before = row[s - 1];
                row[s] = longer[l - 1] == shorter[s - 1] ? diagonal + 1 : Math.Max(above, before);
                diagonal = above;
                bool isFirstShortened = isSwapped ? before > above : above > before;
                if (isFirstShortened && _directions.Length > 0)
                    SetDirection(isSwapped ? BitOf(s, l) : BitOf(l, s));
            }
        }

        int length = (int)row[shorter.Length];
        ArrayPool<uint>.Shared.Return(row);
        return length;
    }

    private void SetDirection(long bit) => _directions[bit >> 3] |= (byte)(1 << (int)(bit & 7));
}
