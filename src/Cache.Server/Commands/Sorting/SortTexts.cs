using System.Buffers;

namespace Cache.Server.Commands.Sorting;

/// <summary>Byte strings with numbers, in memory of the pool, up to a bound.</summary>
/// <remarks>One thread at a time.</remarks>
internal sealed class SortTexts : IDisposable
{
    /// <summary>The most bytes of texts: what is sorted, or by what, or what is stored, is held by no client.</summary>
    public const int BytesMax = 16 << 20;

    /// <summary>The most texts.</summary>
    public const int CountMax = 1 << 20;

    private const int BytesMin = 4096;
    private const int CountMin = 64;
    private const int Absent = -1;

    // The pool would keep larger arrays.
    private const int PooledMax = 1 << 20;

    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(BytesMin);
    private (int Start, int Length)[] _texts = ArrayPool<(int Start, int Length)>.Shared.Rent(CountMin);
    private int _used;

    public int Count { get; private set; }

    /// <summary>Whether a text was refused.</summary>
    public bool IsTooLong { get; private set; }

    /// <summary>The longest text that it still takes.</summary>
    public int Room => BytesMax - _used;

    public ReadOnlySpan<byte> this[int index] => _bytes.AsSpan(_texts[index].Start, Math.Max(_texts[index].Length, 0));

    public bool IsAbsent(int index) => _texts[index].Length == Absent;

    /// <summary>Room for the next text, which counts after <see cref="Advance"/>.</summary>
    /// <param name="length">At most <see cref="Room"/>.</param>
    public Span<byte> GetSpan(int length)
    {
        if (_bytes.Length - _used < length)
            Grow(ref _bytes, _used, Math.Max(_used + length, Math.Min(2 * _bytes.Length, BytesMax)));
        return _bytes.AsSpan(_used, length);
    }

    public void Advance(int length)
    {
        if (TryAddEntry(length))
            _used += length;
    }

    public void Add(scoped ReadOnlySpan<byte> text)
    {
        IsTooLong |= text.Length > Room;
        if (IsTooLong)
            return;
        text.CopyTo(GetSpan(text.Length));
        Advance(text.Length);
    }

    public void AddAbsent() => TryAddEntry(Absent);

    /// <summary>Takes no more: a text has no room.</summary>
    public void GiveUp() => IsTooLong = true;

    public void Clear() => (_used, Count, IsTooLong) = (0, 0, false);

    /// <summary>Turns the order around.</summary>
    public void Reverse() => _texts.AsSpan(0, Count).Reverse();

    /// <summary>Whether the texts are those of another one, in their order.</summary>
    public bool AreSame(SortTexts other)
    {
        if (Count != other.Count)
            return false;
        for (int i = 0; i < Count; i++)
        {
            if (!this[i].SequenceEqual(other[i]))
                return false;
        }

        return true;
    }

    public void Dispose()
    {
        GiveBack(_bytes);
        GiveBack(_texts);
        (_bytes, _texts, _used, Count) = ([], [], 0, 0);
    }

    private bool TryAddEntry(int length)
    {
        IsTooLong |= Count == CountMax;
        if (IsTooLong)
            return false;
        if (Count == _texts.Length)
            Grow(ref _texts, Count, 2 * Count);
        _texts[Count++] = (_used, length);
        return true;
    }

    private static void Grow<T>(ref T[] array, int used, int length)
    {
        T[] larger = length <= PooledMax ? ArrayPool<T>.Shared.Rent(length) : new T[length];
        array.AsSpan(0, used).CopyTo(larger);
        GiveBack(array);
        array = larger;
    }

    private static void GiveBack<T>(T[] array)
    {
        if (array.Length is > 0 and <= PooledMax)
            ArrayPool<T>.Shared.Return(array);
    }
}
