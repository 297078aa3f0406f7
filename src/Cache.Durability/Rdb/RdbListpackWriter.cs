using System.Buffers.Binary;

namespace Cache.Durability.Rdb;

/// <summary>Writes a listpack, part by part; see <see cref="RdbListpack"/>. One thread at a time.</summary>
internal sealed class RdbListpackWriter
{
    private const int HeaderLength = 6;
    private const byte End = 0xFF;
    private const int InitialBytes = 8 << 10;

    // The longest form with its number.
    private const int FormLengthMax = 9;
    private const int BackLengthMax = 5;

    private byte[] _bytes = new byte[InitialBytes];
    private int _length = HeaderLength;
    private int _count;

    /// <summary>The bytes so far, without the end.</summary>
    public int Length => _length;

    public void Clear() => (_length, _count) = (HeaderLength, 0);

    public void Add(ReadOnlySpan<byte> text)
    {
        var room = Reserve(text.Length);
        int used;
        if (text.Length < 1 << 6)
        {
            room[0] = (byte)(0x80 | text.Length);
            used = 1;
        }
        else if (text.Length < 1 << 12)
        {
            BinaryPrimitives.WriteUInt16BigEndian(room, (ushort)(0xE000 | text.Length));
            used = 2;
        }
        else
        {
            room[0] = 0xF0;
            BinaryPrimitives.WriteInt32LittleEndian(room[1..], text.Length);
            used = 1 + sizeof(int);
        }

        text.CopyTo(room[used..]);
        EndPart(used + text.Length);
    }

    public void Add(long number)
    {
        var room = Reserve(0);
        int used;
        if (number is >= 0 and < 1 << 7)
        {
            room[0] = (byte)number;
            used = 1;
        }
        else if (number is >= -(1 << 12) and < 1 << 12)
        {
            BinaryPrimitives.WriteUInt16BigEndian(room, (ushort)(0xC000 | ((int)number & 0x1FFF)));
            used = 2;
        }
        else if (number == (int)number)
        {
            room[0] = 0xF3;
            BinaryPrimitives.WriteInt32LittleEndian(room[1..], (int)number);
            used = 1 + sizeof(int);
        }
        else
        {
            room[0] = 0xF4;
            BinaryPrimitives.WriteInt64LittleEndian(room[1..], number);
            used = 1 + sizeof(long);
        }

        EndPart(used);
    }

    /// <summary>Changes the first part, a number below 128.</summary>
    public void SetFirst(int number) => _bytes[HeaderLength] = (byte)number;

    /// <summary>The whole of it.</summary>
    public ReadOnlySpan<byte> Complete()
    {
        Reserve(0)[0] = End;
        BinaryPrimitives.WriteInt32LittleEndian(_bytes, _length + 1);
        BinaryPrimitives.WriteUInt16LittleEndian(
            _bytes.AsSpan(sizeof(int)), (ushort)Math.Min(_count, ushort.MaxValue));
        return _bytes.AsSpan(0, _length + 1);
    }

    private Span<byte> Reserve(int textLength)
    {
        int size = checked(textLength + FormLengthMax + BackLengthMax);
        if (_bytes.Length - _length < size)
        {
            long length = Math.Max(2L * _bytes.Length, (long)_length + size);
            Array.Resize(ref _bytes, (int)Math.Min(Array.MaxLength, length));
        }

        return _bytes.AsSpan(_length);
    }

    // Seven bits a byte, the high ones first; all bytes but the first have their high bit set.
    private void EndPart(int used)
    {
        int back = used < 1 << 7 ? 1 : used < 1 << 14 ? 2 : used < 1 << 21 ? 3 : used < 1 << 28 ? 4 : 5;
        for (int i = back - 1, left = used; i >= 0; i--, left >>= 7)
            _bytes[_length + used + i] = (byte)((left & 0x7F) | (i == 0 ? 0 : 0x80));
        _length += used + back;
        _count++;
    }
}
