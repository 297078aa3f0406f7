using System.Buffers;

namespace Cache.Server.Commands.Sorting;

/// <summary>Byte strings with numbers, in memory of the pool.</summary>
/// <remarks>One thread at a time.</remarks>
internal sealed class SortTexts : IDisposable
{
    private const int BytesMin = 4096;
    private const int CountMin = 64;
    private const int Absent = -1;

    // Around a text in a reply, with a short length.
    private const int ReplyFrameBytes = 6;

    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(BytesMin);
    private (int Start, int Length)[] _texts = ArrayPool<(int Start, int Length)>.Shared.Rent(CountMin);
    private int _used;

    public int Count { get; private set; }

    /// <summary>About how many bytes they take in a reply.</summary>
    public long Bytes => _used + (long)Count * ReplyFrameBytes;

    public ReadOnlySpan<byte> this[int index] => _bytes.AsSpan(_texts[index].Start, Math.Max(_texts[index].Length, 0));

    public bool IsAbsent(int index) => _texts[index].Length == Absent;

    /// <summary>Room for the next text, which counts after <see cref="Advance"/>.</summary>
    public Span<byte> GetSpan(int length)
    {
        if (_bytes.Length - _used < length)
            Grow(ref _bytes, _used, Math.Max((long)_used + length, 2L * _bytes.Length));
        return _bytes.AsSpan(_used, length);
    }

    public void Advance(int length)
    {
        AddEntry(length);
        _used += length;
    }

    public void Add(scoped ReadOnlySpan<byte> text)
    {
        text.CopyTo(GetSpan(text.Length));
        Advance(text.Length);
    }

    public void AddAbsent() => AddEntry(Absent);

    /// <summary>Turns the order around.</summary>
    public void Reverse() => _texts.AsSpan(0, Count).Reverse();

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_bytes);
        ArrayPool<(int Start, int Length)>.Shared.Return(_texts);
        (_bytes, _texts, _used, Count) = ([], [], 0, 0);
    }

    private void AddEntry(int length)
    {
        if (Count == _texts.Length)
            Grow(ref _texts, Count, 2L * Count);
        _texts[Count++] = (_used, length);
    }

    private static void Grow<T>(ref T[] array, int used, long length)
    {
        var larger = ArrayPool<T>.Shared.Rent((int)Math.Min(length, Array.MaxLength));
        array.AsSpan(0, used).CopyTo(larger);
        ArrayPool<T>.Shared.Return(array);
        array = larger;
    }
}
