using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Elements that a write removed, for its caller; dispose it.</summary>
/// <remarks>
/// Each is its length in two bytes, its score in eight, and its bytes. They lie in one record of a collection, so they
/// have a longest length.
/// </remarks>
internal struct TakenMembers : IDisposable
{
    private const int HeadSize = sizeof(ushort) + sizeof(double);
    private const int LengthMax = PackedTable.LengthMax + HeadSize * PackedTable.CountMax;

    private readonly byte[] _bytes = ArrayPool<byte>.Shared.Rent(LengthMax);
    private int _length;

    public TakenMembers()
    {
    }

    public int Count { get; private set; }

    /// <summary>Forgets all: the write begins anew.</summary>
    public void Clear() => (Count, _length) = (0, 0);

    public void Add(scoped ReadOnlySpan<byte> member, double score)
    {
        Debug.Assert(_length + HeadSize + member.Length <= LengthMax);
        var room = _bytes.AsSpan(_length);
        BinaryPrimitives.WriteUInt16LittleEndian(room, (ushort)member.Length);
        BinaryPrimitives.WriteDoubleLittleEndian(room[sizeof(ushort)..], score);
        member.CopyTo(room[HeadSize..]);
        _length += HeadSize + member.Length;
        Count++;
    }

    /// <summary>Reads the element at a position, 0 at first, and moves the position behind it.</summary>
    /// <returns>False at the end.</returns>
    public readonly bool TryMoveNext(ref int position, out ReadOnlySpan<byte> member, out double score)
    {
        member = default;
        score = 0;
        if (position == _length)
            return false;
        var rest = _bytes.AsSpan(position, _length - position);
        int length = BinaryPrimitives.ReadUInt16LittleEndian(rest);
        score = BinaryPrimitives.ReadDoubleLittleEndian(rest[sizeof(ushort)..]);
        member = rest.Slice(HeadSize, length);
        position += HeadSize + length;
        return true;
    }

    public readonly void Dispose() => ArrayPool<byte>.Shared.Return(_bytes);
}
