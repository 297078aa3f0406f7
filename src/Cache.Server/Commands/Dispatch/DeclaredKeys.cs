using System.Diagnostics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The keys of an atomic section, and the room that its writes need; reused for the next section.</summary>
/// <remarks>
/// A key may occur more than once: each occurrence stands for a further copy of its value in the journal, as far as the
/// journal's room is concerned.
/// </remarks>
internal sealed class DeclaredKeys
{
    // More is not kept for the next section.
    private const int KeptBytesMax = 16 * 1024;
    private const int KeptCountMax = 1024;

    // A key is mostly named again by one of the next commands.
    private const int ComparedMax = 8;

    private byte[] _bytes = new byte[256];
    private DeclaredKey[] _keys = new DeclaredKey[16];
    private int _length;

    /// <summary>The number of keys.</summary>
    public int Count { get; private set; }

    /// <summary>The most writes of single keys.</summary>
    public int WriteCount { get; private set; }

    /// <summary>The bytes that they write, about.</summary>
    public long WrittenBytes { get; private set; }

    /// <summary>A key.</summary>
    public ReadOnlySpan<byte> this[int index] => _bytes.AsSpan(_keys[index].Offset, _keys[index].Length);

    /// <summary>The keyspace of a key.</summary>
    public int KeyspaceOf(int index) => _keys[index].Keyspace;

    /// <summary>Adds a key, unless it is one of the last ones: where no journal counts the occurrences.</summary>
    public void AddOnce(ReadOnlySpan<byte> key, int keyspace)
    {
        for (int i = Count - 1; i >= Math.Max(0, Count - ComparedMax); i--)
        {
            if (_keys[i].Keyspace == keyspace && key.SequenceEqual(this[i]))
                return;
        }

        Add(key, keyspace);
    }

    /// <summary>Adds a key.</summary>
    public void Add(ReadOnlySpan<byte> key, int keyspace)
    {
        if (_length + key.Length > _bytes.Length)
            Array.Resize(ref _bytes, Math.Max(_length + key.Length, 2 * _bytes.Length));
        if (Count == _keys.Length)
            Array.Resize(ref _keys, 2 * Count);
        key.CopyTo(_bytes.AsSpan(_length));
        _keys[Count++] = new DeclaredKey(_length, key.Length, keyspace);
        _length += key.Length;
    }

    /// <summary>Adds what some writes need.</summary>
    public void AddWrites(int count, long bytes)
    {
        Debug.Assert(count >= 0 && bytes >= 0);
        WriteCount += count;
        WrittenBytes += bytes;
    }

    /// <summary>Forgets all.</summary>
    public void Clear()
    {
        if (_bytes.Length > KeptBytesMax)
            _bytes = new byte[KeptBytesMax];
        if (_keys.Length > KeptCountMax)
            _keys = new DeclaredKey[KeptCountMax];
        Count = _length = WriteCount = 0;
        WrittenBytes = 0;
    }

    private readonly record struct DeclaredKey(int Offset, int Length, int Keyspace);
}
