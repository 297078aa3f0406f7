using System.Buffers;
using System.Numerics;

namespace Cache.Server.Commands.Strings;

/// <summary>The longest common subsequence of two byte strings; of several, the one that Redis returns.</summary>
/// <remarks>
/// Algorithm: of the usual table of lengths, L(i, j) for the first i and j bytes, a row is computed 64 cells at a time
/// from the places where a length differs from its neighbour's, which it does by one at most (Hyyrö's bit-parallel
/// form). Redis's way back through the table needs from each cell only whether L(i − 1, j) > L(i, j − 1): one bit, kept
/// for all rows unless only the length is wanted. It is needed only where the two bytes differ, and there it equals
/// L(i, j) > L(i, j − 1). Rows lie along the longer string, so that little is lost by rounding up to words.
/// </remarks>
internal ref struct CommonSubsequence : IDisposable
{
    private const int WordBits = 64;
    private const int ByteValues = 256;

    private readonly ReadOnlySpan<byte> _first;
    private readonly ReadOnlySpan<byte> _second;

    // Rows for the bytes of the shorter string, along the longer one.
    private readonly bool _isFirstLonger;
    private readonly int _rowWords;

    // A bit per row and position of the longer string: whether a step back from there shortens the first string.
    private ulong[] _directions = [];

    public CommonSubsequence(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, bool isLengthOnly)
    {
        _first = first;
        _second = second;
        _isFirstLonger = first.Length > second.Length;
        var longer = _isFirstLonger ? first : second;
        var shorter = _isFirstLonger ? second : first;
        _rowWords = (longer.Length + WordBits - 1) / WordBits;
        if (!isLengthOnly)
            _directions = ArrayPool<ulong>.Shared.Rent(shorter.Length * _rowWords);
        Length = Fill(longer, shorter);
    }

    /// <summary>The number of bytes in common.</summary>
    public int Length { get; }

    public void Dispose()
    {
        if (_directions.Length > 0)
            ArrayPool<ulong>.Shared.Return(_directions);
        _directions = [];
    }

    /// <summary>Copies the subsequence.</summary>
    public readonly void CopyTo(Span<byte> destination)
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

    /// <summary>The ranges that the subsequence consists of, the last one first.</summary>
    /// <param name="lengthMin">Shorter ranges are omitted.</param>
    public readonly List<CommonRange> FindRanges(long lengthMin)
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

    private readonly bool TakesBoth(int i, int j) => _first[i - 1] == _second[j - 1];

    private readonly void StepBack(ref int i, ref int j)
    {
        int row = (_isFirstLonger ? j : i) - 1;
        int place = (_isFirstLonger ? i : j) - 1;
        ulong word = _directions[(row * _rowWords) + (place / WordBits)];
        if ((word >> place & 1) != 0)
            i--;
        else
            j--;
    }

    /// <summary>Computes all rows.</summary>
    /// <returns>The length of the subsequence.</returns>
    private readonly int Fill(ReadOnlySpan<byte> longer, ReadOnlySpan<byte> shorter)
    {
        Span<int> maskOf = stackalloc int[ByteValues];
        int maskCount = NumberValues(shorter, maskOf);
        ulong[] memory = ArrayPool<ulong>.Shared.Rent((maskCount + 1) * _rowWords);
        var level = memory.AsSpan(0, _rowWords);
        var masks = memory.AsSpan(_rowWords, maskCount * _rowWords);
        MarkPlaces(longer, maskOf, masks);
        level.Fill(ulong.MaxValue);
        for (int row = 0; row < shorter.Length; row++)
        {
            var directions = _directions.Length == 0 ? default : _directions.AsSpan(row * _rowWords, _rowWords);
            NextRow(level, masks.Slice(maskOf[shorter[row]] * _rowWords, _rowWords), directions);
        }

        int length = 0;
        foreach (ulong word in level)
            length += BitOperations.PopCount(~word);
        ArrayPool<ulong>.Shared.Return(memory);
        return length;
    }

    /// <summary>Numbers the byte values in the shorter string, from 0; the others get −1.</summary>
    private static int NumberValues(ReadOnlySpan<byte> shorter, Span<int> numbers)
    {
        numbers.Fill(-1);
        int count = 0;
        foreach (byte value in shorter)
        {
            if (numbers[value] < 0)
                numbers[value] = count++;
        }

        return count;
    }

    /// <summary>Sets, in the mask of each byte value, the bits of its positions in the longer string.</summary>
    private readonly void MarkPlaces(ReadOnlySpan<byte> longer, ReadOnlySpan<int> maskOf, Span<ulong> masks)
    {
        masks.Clear();
        for (int place = 0; place < longer.Length; place++)
        {
            int mask = maskOf[longer[place]];
            if (mask >= 0)
                masks[(mask * _rowWords) + (place / WordBits)] |= 1UL << place;
        }
    }

    /// <summary>
    /// Computes the next row from a row. A bit is 0 where the length is greater than at the position before.
    /// </summary>
    private readonly void NextRow(Span<ulong> level, ReadOnlySpan<ulong> mask, Span<ulong> directions)
    {
        ulong carry = 0;
        ulong gain = 0;
        for (int i = 0; i < level.Length; i++)
        {
            ulong before = level[i];
            ulong matches = before & mask[i];
            ulong sum = before + matches;
            ulong sumCarried = sum + carry;
            carry = sum < before || sumCarried < sum ? 1UL : 0;
            ulong after = level[i] = sumCarried | (before & ~mask[i]);
            if (directions.IsEmpty)
                continue;
            directions[i] = _isFirstLonger ? FindGains(before ^ after, ref gain) : ~after;
        }
    }

    // Where a length is greater than in the row before: this changes at each position where only one of the rows grows,
    // so it is the parity of such positions up to there; the state, of the last position so far, is all ones or all
    // zeros.
    private static ulong FindGains(ulong changes, ref ulong state)
    {
        for (int shift = 1; shift < WordBits; shift *= 2)
            changes ^= changes << shift;
        ulong gains = changes ^ state;
        state = (gains >> (WordBits - 1)) != 0 ? ulong.MaxValue : 0;
        return gains;
    }
}
