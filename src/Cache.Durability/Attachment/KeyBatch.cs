using Cache.Core;

namespace Cache.Durability.Attachment;

/// <summary>Collects the keys of one scan step in memory that is reused.</summary>
internal struct KeyBatch() : IKeySink
{
    private readonly List<int> _ends = [];
    private byte[] _bytes = [];

    public readonly int Count => _ends.Count;

    public readonly bool IsFull => false;

    public readonly ReadOnlySpan<byte> this[int index]
    {
        get
        {
            int start = index == 0 ? 0 : _ends[index - 1];
            return _bytes.AsSpan(start, _ends[index] - start);
        }
    }

    public void Take(ReadOnlySpan<byte> key)
    {
        int start = _ends.Count == 0 ? 0 : _ends[^1];
        int end = start + key.Length;
        if (_bytes.Length < end)
            Array.Resize(ref _bytes, Math.Max(end, 2 * _bytes.Length));
        key.CopyTo(_bytes.AsSpan(start));
        _ends.Add(end);
    }

    public readonly void Clear() => _ends.Clear();
}
