using System.Buffers;
using Cache.Core;

namespace Cache.Server.Commands.Sorting;

/// <summary>The order in which elements are replied: their indexes, sorted by weights.</summary>
/// <remarks>Equal weights keep the elements' order, as with the C library's sort of most lengths.</remarks>
internal ref struct SortOrder : IDisposable
{
    private int[] _indexes;
    private int _count;

    private SortOrder(int count)
    {
        _indexes = ArrayPool<int>.Shared.Rent(count);
        _count = count;
        for (int i = 0; i < count; i++)
            _indexes[i] = i;
    }

    public readonly int this[int index] => _indexes[index];

    /// <summary>The order that the elements have.</summary>
    public static SortOrder Present(SortTexts elements) => new(elements.Count);

    /// <summary>By numbers.</summary>
    /// <returns>False if a weight is no number.</returns>
    public static bool TryByNumbers(SortTexts elements, SortTexts weights, bool isDescending, out SortOrder order)
    {
        order = new SortOrder(elements.Count);
        double[] numbers = ArrayPool<double>.Shared.Rent(elements.Count);
        bool areNumbers = true;
        for (int i = 0; i < elements.Count; i++)
        {
            numbers[i] = 0; // Of an absent weight.
            areNumbers &= weights.IsAbsent(i) || SortWeight.TryParse(weights[i], out numbers[i]);
        }

        if (areNumbers)
            order.Sort(new ByNumber(elements, numbers), isDescending);
        ArrayPool<double>.Shared.Return(numbers);
        return areNumbers;
    }

    /// <summary>By the bytes of the weights.</summary>
    /// <param name="elements">The elements.</param>
    /// <param name="weights">Their weights.</param>
    /// <param name="isWhole">Whether what is behind a zero byte counts too.</param>
    /// <param name="isDescending">Whether the greatest comes first.</param>
    public static SortOrder ByTexts(SortTexts elements, SortTexts weights, bool isWhole, bool isDescending)
    {
        var order = new SortOrder(elements.Count);
        order.Sort(new ByText(weights, isWhole), isDescending);
        return order;
    }

    public void Dispose()
    {
        ArrayPool<int>.Shared.Return(_indexes);
        (_indexes, _count) = ([], 0);
    }

    private readonly void Sort<TComparison>(TComparison comparison, bool isDescending)
        where TComparison : struct, IComparer<int> =>
        _indexes.AsSpan(0, _count).Sort(new Stable<TComparison>(comparison, isDescending));

    private readonly struct ByNumber(SortTexts elements, double[] numbers) : IComparer<int>
    {
        public int Compare(int x, int y)
        {
            int compared = numbers[x] > numbers[y] ? 1 : numbers[x] < numbers[y] ? -1 : 0;
            return compared != 0 ? compared : elements[x].SequenceCompareTo(elements[y]);
        }
    }

    private readonly struct ByText(SortTexts weights, bool isWhole) : IComparer<int>
    {
        public int Compare(int x, int y)
        {
            if (weights.IsAbsent(x) || weights.IsAbsent(y))
                return (weights.IsAbsent(x) ? 0 : 1) - (weights.IsAbsent(y) ? 0 : 1);
            return Compared(weights[x]).SequenceCompareTo(Compared(weights[y]));
        }

        private ReadOnlySpan<byte> Compared(ReadOnlySpan<byte> text)
        {
            int end = isWhole ? -1 : text.IndexOf((byte)0);
            return end < 0 ? text : text[..end];
        }
    }

    private readonly struct Stable<TComparison>(TComparison comparison, bool isDescending) : IComparer<int>
        where TComparison : struct, IComparer<int>
    {
        public int Compare(int x, int y)
        {
            int compared = comparison.Compare(x, y);
            if (compared == 0)
                return x.CompareTo(y);
            return isDescending ? -Math.Sign(compared) : compared;
        }
    }
}
