using System.Buffers.Binary;
using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace Cache.Durability.Rdb;

/// <summary>
/// Writes strings, hashes, lists, sets and sorted sets into an RDB file of version 10, which Redis 7.0 and later load;
/// or one of them into a payload of DUMP.
/// </summary>
/// <remarks>
/// Short numbers are written as numbers, as in Redis; nothing is compressed. A file is complete only after
/// <see cref="WriteEnd"/>, a payload after <see cref="WritePayloadEnd"/>. One thread at a time; the caller still owns
/// the stream.
/// </remarks>
internal sealed class RdbWriter
{
    // The longest text that Redis writes as a number: "-2147483648".
    private const int NumberLengthMax = 11;

    private readonly Stream _stream;
    private readonly bool _isPayload;
    private readonly long _lengthMax = long.MaxValue;
    private ulong _sum;
    private long _length;
    private int _database = -1;

    /// <param name="stream">Receives the file; it should be buffered.</param>
    /// <param name="writtenAt">The creation time in the file.</param>
    public RdbWriter(Stream stream, DateTimeOffset writtenAt)
    {
        _stream = stream;
        Write(RdbFormat.Magic);
        Write("0010"u8);
        WriteAuxiliary("redis-bits", "64");
        WriteAuxiliary("ctime", writtenAt.ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>A writer of one value, which is written without database, expiry and key.</summary>
    /// <param name="stream">Receives the payload.</param>
    /// <param name="lengthMax">The most bytes of it.</param>
    public RdbWriter(Stream stream, long lengthMax)
    {
        (_stream, _lengthMax, _isPayload) = (stream, lengthMax - RdbPayload.FooterLength, true);
    }

    /// <summary>Whether there is more than the length that is allowed: then the rest is not written.</summary>
    public bool IsFull => _length > _lengthMax;

    /// <summary>Writes an entry; the file is shortest if the entries of a database come together.</summary>
    public void Write(in RdbEntry entry)
    {
        WriteHead(entry, RdbType.String);
        WriteString(entry.Value.Span);
    }

    /// <summary>Writes a hash without its fields, which follow.</summary>
    /// <param name="entry">The entry; its value counts for nothing.</param>
    /// <param name="fields">The number of fields.</param>
    public void BeginHash(in RdbEntry entry, int fields)
    {
        WriteHead(entry, RdbType.Hash);
        WriteLength((uint)fields);
    }

    /// <summary>Writes a field of the hash that was begun.</summary>
    public void WriteField(ReadOnlySpan<byte> field, ReadOnlySpan<byte> value)
    {
        WriteString(field);
        WriteString(value);
    }

    /// <summary>Writes a list without its elements, which follow.</summary>
    /// <param name="entry">The entry; its value counts for nothing.</param>
    /// <param name="elements">The number of elements.</param>
    public void BeginList(in RdbEntry entry, int elements)
    {
        WriteHead(entry, RdbType.List);
        WriteLength((uint)elements);
    }

    /// <summary>Writes an element of the list that was begun.</summary>
    public void WriteElement(ReadOnlySpan<byte> element) => WriteString(element);

    /// <summary>Writes a set without its members, which follow.</summary>
    /// <param name="entry">The entry; its value counts for nothing.</param>
    /// <param name="members">The number of members.</param>
    public void BeginSet(in RdbEntry entry, int members)
    {
        WriteHead(entry, RdbType.Set);
        WriteLength((uint)members);
    }

    /// <summary>Writes a member of the set that was begun.</summary>
    public void WriteMember(ReadOnlySpan<byte> member) => WriteString(member);

    /// <summary>Writes a sorted set without its members, which follow.</summary>
    /// <param name="entry">The entry; its value counts for nothing.</param>
    /// <param name="members">The number of members.</param>
    public void BeginSortedSet(in RdbEntry entry, int members)
    {
        WriteHead(entry, RdbType.SortedSet);
        WriteLength((uint)members);
    }

    /// <summary>Writes a member of the sorted set that was begun.</summary>
    public void WriteMember(ReadOnlySpan<byte> member, double score)
    {
        WriteString(member);
        Span<byte> bytes = stackalloc byte[sizeof(double)];
        BinaryPrimitives.WriteDoubleLittleEndian(bytes, score);
        Write(bytes);
    }

    /// <summary>Writes the text of a library of functions.</summary>
    public void WriteFunction(ReadOnlySpan<byte> code)
    {
        WriteByte((byte)RdbOpcode.Function);
        WriteString(code);
    }

    /// <summary>Writes the end and the checksum.</summary>
    public void WriteEnd()
    {
        WriteByte((byte)RdbOpcode.End);
        Span<byte> sum = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(sum, _sum);
        _stream.Write(sum);
    }

    /// <summary>Writes the end of a payload.</summary>
    public void WritePayloadEnd()
    {
        Span<byte> footer = stackalloc byte[RdbPayload.FooterLength];
        BinaryPrimitives.WriteUInt16LittleEndian(footer, RdbFormat.VersionMax);
        BinaryPrimitives.WriteUInt64LittleEndian(
            footer[sizeof(ushort)..], Crc64.Append(_sum, footer[..sizeof(ushort)]));
        _stream.Write(footer);
    }

    /// <summary>Writes what comes before a value.</summary>
    public void WriteHead(in RdbEntry entry, RdbType type)
    {
        if (_isPayload)
        {
            WriteByte((byte)type);
            return;
        }

        if (entry.Database != _database)
        {
            _database = entry.Database;
            WriteByte((byte)RdbOpcode.SelectDatabase);
            WriteLength((uint)_database);
        }

        if (entry.ExpiresAtMs is long expiresAtMs)
        {
            Span<byte> moment = stackalloc byte[sizeof(long)];
            BinaryPrimitives.WriteInt64LittleEndian(moment, expiresAtMs);
            WriteByte((byte)RdbOpcode.ExpiresAtMs);
            Write(moment);
        }

        WriteByte((byte)type);
        WriteString(entry.Key.Span);
    }

    private void WriteAuxiliary(string name, string text)
    {
        WriteByte((byte)RdbOpcode.Auxiliary);
        WriteString(Encoding.UTF8.GetBytes(name));
        WriteString(Encoding.UTF8.GetBytes(text));
    }

    private void WriteString(ReadOnlySpan<byte> text)
    {
        if (TryWriteNumber(text))
            return;
        WriteLength((uint)text.Length);
        Write(text);
    }

    // Only texts that a reader restores exactly: no leading zero, no plus, no minus before a zero.
    private bool TryWriteNumber(ReadOnlySpan<byte> text)
    {
        Span<byte> same = stackalloc byte[NumberLengthMax];
        if (text.Length is 0 or > NumberLengthMax || !Utf8Parser.TryParse(text, out int number, out int parsed)
            || parsed != text.Length || !Utf8Formatter.TryFormat(number, same, out int length)
            || !same[..length].SequenceEqual(text))
        {
            return false;
        }

        Span<byte> encoded = stackalloc byte[1 + sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(encoded[1..], number);
        int encoding = number == (sbyte)number ? RdbFormat.EncodedInt8
            : number == (short)number ? RdbFormat.EncodedInt16
            : RdbFormat.EncodedInt32;
        encoded[0] = (byte)(RdbFormat.EncodedMark << 6 | encoding);
        Write(encoded[..(1 + (1 << encoding))]);
        return true;
    }

    private void WriteLength(uint length)
    {
        Span<byte> bytes = stackalloc byte[1 + sizeof(uint)];
        switch (length)
        {
            case < 1 << 6:
                WriteByte((byte)length);
                break;
            case < 1 << 14:
                BinaryPrimitives.WriteUInt16BigEndian(bytes, (ushort)(RdbFormat.Length14Bits << 14 | length));
                Write(bytes[..sizeof(ushort)]);
                break;
            default:
                bytes[0] = RdbFormat.Length32Bits;
                BinaryPrimitives.WriteUInt32BigEndian(bytes[1..], length);
                Write(bytes);
                break;
        }
    }

    /// <summary>Writes a number of up to 64 bits.</summary>
    public void WriteNumber(ulong number)
    {
        if (number <= uint.MaxValue)
        {
            WriteLength((uint)number);
            return;
        }

        Span<byte> bytes = stackalloc byte[1 + sizeof(ulong)];
        bytes[0] = RdbFormat.Length64Bits;
        BinaryPrimitives.WriteUInt64BigEndian(bytes[1..], number);
        Write(bytes);
    }

    /// <summary>Writes a string, a number as one.</summary>
    public void WriteText(ReadOnlySpan<byte> text) => WriteString(text);

    /// <summary>Writes a string that is no number.</summary>
    public void WriteBytes(ReadOnlySpan<byte> bytes)
    {
        WriteLength((uint)bytes.Length);
        Write(bytes);
    }

    /// <summary>Writes a moment, Unix milliseconds.</summary>
    public void WriteMoment(long moment)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, moment);
        Write(bytes);
    }

    /// <summary>Writes bytes as they are.</summary>
    public void WriteRaw(ReadOnlySpan<byte> bytes) => Write(bytes);

    private void WriteByte(byte value) => Write([value]);

    private void Write(ReadOnlySpan<byte> bytes)
    {
        _length += bytes.Length;
        if (IsFull)
            return;
        _sum = Crc64.Append(_sum, bytes);
        _stream.Write(bytes);
    }
}
