using System.Buffers.Binary;

namespace Cache.Core.Collections;

/// <summary>Elements that a write removed, or that a read found, for the caller; dispose it.</summary>
/// <remarks>
/// Each is its length in four bytes, its score in eight, and its bytes. One for each thread; a sink that asks the store
/// in turn gets another one.
/// </remarks>
internal sealed class TakenMembers : IDisposable
{
    private const int HeadSize = sizeof(int) + sizeof(double);
    private const int InitialBytes = 4096;

    // A longer one is not kept for the next use.
    private const int KeptBytesMax = 256 << 10;

    [ThreadStatic]
    private static TakenMembers? _cached;

    private byte[] _bytes = new byte[InitialBytes];
    private int _length;

    private TakenMembers()
    {
    }

    public int Count { get; private set; }

    public static TakenMembers Rent()
    {
        var taken = _cached ?? new TakenMembers();
        _cached = null;
        taken.Clear();
        return taken;
    }

    /// <summary>Forgets all: the write begins anew.</summary>
    public void Clear() => (Count, _length) = (0, 0);

    /// <summary>The bytes that all take.</summary>
    public int Bytes => _length;

    /// <summary>Where the next element begins.</summary>
    public (int Count, int Length) End => (Count, _length);

    /// <summary>Forgets what came behind an end: a step begins anew.</summary>
    public void Truncate((int Count, int Length) end) => (Count, _length) = end;

    public void Add(scoped ReadOnlySpan<byte> member, double score)
    {
        int size = checked(HeadSize + member.Length);
        if (_bytes.Length - _length < size)
        {
            long length = Math.Max(2L * _bytes.Length, (long)_length + size);
            Array.Resize(ref _bytes, (int)Math.Min(Array.MaxLength, length));
        }

        var room = _bytes.AsSpan(_length);
        BinaryPrimitives.WriteInt32LittleEndian(room, member.Length);
        BinaryPrimitives.WriteDoubleLittleEndian(room[sizeof(int)..], score);
        member.CopyTo(room[HeadSize..]);
        _length += size;
        Count++;
    }

    /// <summary>Reads the element at a position, 0 at first, and moves the position behind it.</summary>
    /// <returns>False at the end.</returns>
    public bool TryMoveNext(ref int position, out ReadOnlySpan<byte> member, out double score)
    {
        member = default;
        score = 0;
        if (position == _length)
            return false;
        var rest = _bytes.AsSpan(position, _length - position);
        int length = BinaryPrimitives.ReadInt32LittleEndian(rest);
        score = BinaryPrimitives.ReadDoubleLittleEndian(rest[sizeof(int)..]);
        member = rest.Slice(HeadSize, length);
        position += HeadSize + length;
        return true;
    }

    public void Dispose()
    {
        if (_bytes.Length <= KeptBytesMax)
            _cached = this;
    }
}
