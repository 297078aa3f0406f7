using System.Buffers.Binary;
using System.Diagnostics;

namespace Cache.Durability.Rdb;

/// <summary>The bytes of an RDB file, or of one value, in order, with offset and checksum.</summary>
/// <remarks>
/// No length in the file is trusted: memory grows with the bytes that are read, not with declared lengths.
/// </remarks>
internal sealed class RdbSource
{
    private const int BufferLength = 64 << 10;

    private readonly Stream _stream;
    private byte[] _buffer;

    // Positions in the buffer: of the next byte, of the end of the checksummed bytes, and of the end.
    private int _position;
    private int _summed;
    private int _end;

    // Of the first byte that is kept, and how many at most; -1: none.
    private int _mark = -1;
    private int _markedMax;

    private long _bufferOffset;
    private ulong _sum;

    public RdbSource(Stream stream) => (_stream, _buffer) = (stream, new byte[BufferLength]);

    /// <summary>Has nothing before <see cref="Begin"/>.</summary>
    public RdbSource() => (_stream, _buffer) = (Stream.Null, []);

    /// <summary>The number of bytes read.</summary>
    public long Offset => _bufferOffset + _position;

    /// <summary>The CRC-64 of all bytes that were read.</summary>
    public ulong Checksum
    {
        get
        {
            if (_position > _summed) // Not, where bytes are read again.
            {
                _sum = Crc64.Append(_sum, _buffer.AsSpan(_summed.._position));
                _summed = _position;
            }

            return _sum;
        }
    }

    /// <summary>The memory of the buffer.</summary>
    public int HeldBytes => _buffer.Length;

    /// <summary>Has bytes in memory from now on, which are copied; they are not summed.</summary>
    public void Begin(ReadOnlySpan<byte> bytes)
    {
        if (_buffer.Length < bytes.Length)
            _buffer = GC.AllocateUninitializedArray<byte>(bytes.Length);
        bytes.CopyTo(_buffer);
        (_position, _summed, _end, _bufferOffset, _mark) = (0, bytes.Length, bytes.Length, 0, -1);
    }

    /// <summary>Forgets its memory.</summary>
    public void Trim()
    {
        _buffer = [];
        Begin([]);
    }

    /// <summary>Keeps all bytes from here on, until there are more than so many.</summary>
    public void Mark(int bytesMax) => (_mark, _markedMax) = (_position, bytesMax);

    /// <summary>Whether the bytes since the mark are kept: there were not more than may be.</summary>
    public bool IsMarked => _mark >= 0;

    /// <summary>The bytes between the mark and here; valid until more is read.</summary>
    public ReadOnlyMemory<byte> Marked => IsMarked ? _buffer.AsMemory(_mark.._position) : default;

    /// <summary>Goes back to the mark, which is taken away.</summary>
    public void Return()
    {
        Debug.Assert(IsMarked);
        (_position, _mark) = (_mark, -1);
    }

    /// <summary>Takes the mark away.</summary>
    public void Unmark() => _mark = -1;

    public bool IsAtEnd => _position == _end && !TryFill();

    /// <exception cref="RdbFormatException">The file ends before.</exception>
    public byte ReadByte()
    {
        if (IsAtEnd)
            throw EndsEarly();
        return _buffer[_position++];
    }

    public ushort ReadUInt16LittleEndian() => BinaryPrimitives.ReadUInt16LittleEndian(Read(stackalloc byte[2]));

    public uint ReadUInt32LittleEndian() => BinaryPrimitives.ReadUInt32LittleEndian(Read(stackalloc byte[4]));

    public uint ReadUInt32BigEndian() => BinaryPrimitives.ReadUInt32BigEndian(Read(stackalloc byte[4]));

    public ulong ReadUInt64LittleEndian() => BinaryPrimitives.ReadUInt64LittleEndian(Read(stackalloc byte[8]));

    public ulong ReadUInt64BigEndian() => BinaryPrimitives.ReadUInt64BigEndian(Read(stackalloc byte[8]));

    /// <summary>Fills the target, and returns it.</summary>
    public Span<byte> Read(Span<byte> target)
    {
        for (var rest = target; !rest.IsEmpty;)
        {
            if (IsAtEnd)
                throw EndsEarly();
            var part = _buffer.AsSpan(_position.._end);
            part = part[..Math.Min(part.Length, rest.Length)];
            part.CopyTo(rest);
            rest = rest[part.Length..];
            _position += part.Length;
        }

        return target;
    }

    /// <summary>Reads into a buffer that grows while there are bytes.</summary>
    public ReadOnlyMemory<byte> Read(ref byte[] buffer, int length)
    {
        for (int have = 0; have < length;)
        {
            if (have == buffer.Length)
                Array.Resize(ref buffer, (int)Math.Min(length, Math.Max(BufferLength, 2L * have)));
            int next = Math.Min(length, buffer.Length);
            Read(buffer.AsSpan(have..next));
            have = next;
        }

        return buffer.AsMemory(0, length);
    }

    public void Skip(long length)
    {
        Debug.Assert(length >= 0);
        while (length > 0)
        {
            if (IsAtEnd)
                throw EndsEarly();
            int part = (int)Math.Min(length, _end - _position);
            _position += part;
            length -= part;
        }
    }

    private bool TryFill()
    {
        _ = Checksum;
        int kept = IsMarked ? _end - _mark : 0;
        if (kept > _markedMax)
            (kept, _mark) = (0, -1);
        MakeRoom(kept);
        _bufferOffset += _end - kept;
        _mark = IsMarked ? 0 : -1;
        _position = _summed = _end = kept;
        _end += _stream.Read(_buffer.AsSpan(_end));
        return _end > _position;
    }

    // What is kept comes to the front, with as much room behind it; a long buffer is given back when nothing is.
    private void MakeRoom(int kept)
    {
        byte[] old = _buffer;
        if (kept > _buffer.Length / 2)
            _buffer = GC.AllocateUninitializedArray<byte>(2 * kept);
        else if (kept == 0 && _buffer.Length > BufferLength && _stream != Stream.Null)
            _buffer = new byte[BufferLength];
        old.AsSpan(_end - kept, kept).CopyTo(_buffer);
    }

    private RdbFormatException EndsEarly() => new(Offset, "the file ends within an entry.");
}
