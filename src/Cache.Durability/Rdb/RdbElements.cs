using System.Runtime.InteropServices;

namespace Cache.Durability.Rdb;

/// <summary>The strings of a collection in an RDB file, in its order; of a hash, names and values in turn.</summary>
/// <remarks>Valid until the next entry is read. What is more than the bounds is counted, but not kept.</remarks>
internal sealed class RdbElements(int bytesMax, int countMax)
{
    // Longer than any text of a score that Redis writes.
    private const int ScoreLengthMax = 32;

    private readonly List<int> _ends = [];
    private readonly List<double> _scores = [];
    private byte[] _bytes = [];
    private int _used;
    private Action<RdbElements>? _take;
    private int _partBytes;

    /// <summary>The bytes of all strings that are kept.</summary>
    public int Bytes => _used;

    /// <summary>The most bytes that are kept.</summary>
    public int BytesMax => bytesMax;

    /// <summary>The number of strings, also of those that are not kept.</summary>
    public long Count { get; private set; }

    /// <summary>Whether it has more than was kept: then nothing is.</summary>
    public bool IsTooLong { get; private set; }

    /// <summary>Of a sorted set: the score of each member.</summary>
    public ReadOnlySpan<double> Scores => CollectionsMarshal.AsSpan(_scores);

    public ReadOnlySpan<byte> this[int index]
    {
        get
        {
            int start = index == 0 ? 0 : _ends[index - 1];
            return _bytes.AsSpan(start, _ends[index] - start);
        }
    }

    /// <summary>The memory that it has.</summary>
    public long HeldBytes =>
        _bytes.Length + (long)_ends.Capacity * sizeof(int) + (long)_scores.Capacity * sizeof(double);

    /// <summary>Forgets all, and the memory.</summary>
    public void Trim()
    {
        Clear();
        _bytes = [];
        _ends.Capacity = _scores.Capacity = 0;
    }

    /// <summary>From now on hands on what there is whenever it has so many bytes; at the end there is a rest.</summary>
    public void HandOn(int partBytes, Action<RdbElements>? take) => (_partBytes, _take) = (partBytes, take);

    /// <summary>Called between two items: here a part may end.</summary>
    public void EndItem()
    {
        if (_take is null || _used < _partBytes)
            return;
        _take(this);
        Clear();
    }

    public void Clear()
    {
        _ends.Clear();
        _scores.Clear();
        (_used, Count, IsTooLong) = (0, 0, false);
    }

    public void Add(ReadOnlySpan<byte> text)
    {
        Count++;
        IsTooLong |= Count > countMax || text.Length > bytesMax - _used;
        if (IsTooLong)
            return;
        if (_bytes.Length - _used < text.Length)
            Array.Resize(ref _bytes, Math.Max(_used + text.Length, Math.Min(2 * _bytes.Length, bytesMax)));
        text.CopyTo(_bytes.AsSpan(_used));
        _used += text.Length;
        _ends.Add(_used);
    }

    public void AddScore(double score)
    {
        if (!IsTooLong)
            _scores.Add(score);
    }

    /// <summary>Notes that there are more than the bounds allow.</summary>
    public void GiveUp() => IsTooLong = true;

    /// <summary>Bounds for the same strings with their scores as texts between them.</summary>
    public RdbElements ForPairs() =>
        new((int)Math.Min(bytesMax + (long)countMax * ScoreLengthMax, int.MaxValue), 2 * countMax);
}
