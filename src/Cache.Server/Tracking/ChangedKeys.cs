using System.Diagnostics;

namespace Cache.Server.Tracking;

/// <summary>Keys that have changed since the last message, and who has changed each last. Not thread-safe.</summary>
/// <remarks>Bounded: beyond <see cref="BytesMax"/> it says that all have.</remarks>
internal sealed class ChangedKeys
{
    /// <summary>The most bytes of a message: a client with several of these unread is ended.</summary>
    public const int BytesMax = 8 << 20;

    // A longer buffer is not kept.
    private const int KeptBytesMax = 64 * 1024;
    private const int KeptCountMax = 1024;

    private byte[] _bytes = [];
    private int _length;
    private Changed[] _keys = [];

    /// <summary>The number of keys.</summary>
    public int Count { get; private set; }

    /// <summary>Whether there were too many.</summary>
    public bool IsOverflown { get; private set; }

    /// <summary>Whether nothing has changed.</summary>
    public bool IsEmpty => Count == 0 && !IsOverflown;

    /// <summary>A key, by its index.</summary>
    public ReadOnlySpan<byte> this[int index] => KeyOf(_keys[index]);

    /// <summary>The number of the client that has changed a key last; 0: none that matters.</summary>
    public long WriterOf(int index) => _keys[index].Writer;

    /// <summary>Adds a key.</summary>
    public void Add(ReadOnlySpan<byte> key, long writer)
    {
        if (IsOverflown)
            return;
        if (Count > 0 && key.SequenceEqual(this[Count - 1]))
        {
            _keys[Count - 1].Writer = writer;
            return;
        }

        if (_length + key.Length > BytesMax || Count > BytesMax / 16)
        {
            Clear();
            IsOverflown = true;
            return;
        }

        if (_length + key.Length > _bytes.Length)
            Array.Resize(ref _bytes, Math.Max(Math.Max(_bytes.Length * 2, _length + key.Length), 256));
        if (Count == _keys.Length)
            Array.Resize(ref _keys, Math.Max(_keys.Length * 2, 16));
        key.CopyTo(_bytes.AsSpan(_length));
        _keys[Count] = new Changed { Offset = _length, Length = key.Length, Writer = writer, Order = Count };
        _length += key.Length;
        Count++;
    }

    /// <summary>Puts the keys in order, each once.</summary>
    public void Sort()
    {
        if (Count < 2)
            return;
        Array.Sort(_keys, 0, Count, Comparer<Changed>.Create(Compare));
        int last = 0;
        for (int i = 1; i < Count; i++)
        {
            if (!KeyOf(_keys[i]).SequenceEqual(KeyOf(_keys[last])))
                last++;
            _keys[last] = _keys[i]; // Of equal ones the latest.
        }

        Count = last + 1;
    }

    /// <summary>Removes all keys.</summary>
    public void Clear()
    {
        (Count, _length, IsOverflown) = (0, 0, false);
        if (_bytes.Length > KeptBytesMax)
            _bytes = [];
        if (_keys.Length > KeptCountMax)
            _keys = [];
    }

    private int Compare(Changed one, Changed other)
    {
        int order = KeyOf(one).SequenceCompareTo(KeyOf(other));
        return order != 0 ? order : one.Order.CompareTo(other.Order);
    }

    private ReadOnlySpan<byte> KeyOf(in Changed key)
    {
        Debug.Assert(key.Offset + key.Length <= _length);
        return _bytes.AsSpan(key.Offset, key.Length);
    }

    private struct Changed
    {
        public int Offset;
        public int Length;
        public int Order;
        public long Writer;
    }
}
