using System.Buffers.Text;

namespace Cache.Durability.Rdb;

/// <summary>Reads lengths, and strings in their four encodings.</summary>
internal sealed class RdbStrings
{
    private const int NumberLengthMax = 11;

    private readonly RdbSource _source;
    private byte[] _compressed = [];

    public RdbStrings(RdbSource source) => _source = source;

    /// <summary>Forgets its memory.</summary>
    public void Trim() => _compressed = [];

    /// <summary>A plain length, not an encoding.</summary>
    public long ReadLength()
    {
        long at = _source.Offset;
        ulong length = ReadLengthOrEncoding(out int encoding);
        if (encoding >= 0)
            throw new RdbFormatException(at, "a length is expected, and an encoded string stands there.");
        if (length > long.MaxValue)
            throw new RdbFormatException(at, $"a length of {length}.");
        return (long)length;
    }

    /// <summary>A number of up to 64 bits.</summary>
    public ulong ReadNumber()
    {
        long at = _source.Offset;
        ulong number = ReadLengthOrEncoding(out int encoding);
        return encoding < 0
            ? number
            : throw new RdbFormatException(at, "a number is expected, and an encoded string stands there.");
    }

    /// <summary>A string, in the buffer, which grows if needed.</summary>
    public ReadOnlyMemory<byte> Read(ref byte[] buffer)
    {
        long at = _source.Offset;
        ulong length = ReadLengthOrEncoding(out int encoding);
        return encoding switch
        {
            < 0 => _source.Read(ref buffer, Checked(length, at)),
            RdbFormat.EncodedInt8 => Number((sbyte)_source.ReadByte(), ref buffer),
            RdbFormat.EncodedInt16 => Number((short)_source.ReadUInt16LittleEndian(), ref buffer),
            RdbFormat.EncodedInt32 => Number((int)_source.ReadUInt32LittleEndian(), ref buffer),
            _ => ReadLzf(ref buffer, at),
        };
    }

    public void Skip()
    {
        long at = _source.Offset;
        ulong length = ReadLengthOrEncoding(out int encoding);
        switch (encoding)
        {
            case < 0:
                _source.Skip(Checked(length, at));
                break;
            case RdbFormat.EncodedLzf:
                int compressed = Checked(ReadNumber(), at);
                _ = Checked(ReadNumber(), at);
                _source.Skip(compressed);
                break;
            default:
                _source.Skip(1 << encoding);
                break;
        }
    }

    // Encoding is -1 for a length.
    private ulong ReadLengthOrEncoding(out int encoding)
    {
        long at = _source.Offset;
        int first = _source.ReadByte();
        encoding = -1;
        switch (first >> 6)
        {
            case RdbFormat.Length6Bits:
                return (uint)first;
            case RdbFormat.Length14Bits:
                return (uint)(first & 0x3F) << 8 | _source.ReadByte();
            case RdbFormat.EncodedMark when (first & 0x3F) <= RdbFormat.EncodedLzf:
                encoding = first & 0x3F;
                return 0;
        }

        return first switch
        {
            RdbFormat.Length32Bits => _source.ReadUInt32BigEndian(),
            RdbFormat.Length64Bits => _source.ReadUInt64BigEndian(),
            _ => throw new RdbFormatException(at, $"no length begins with the byte {first:x2}."),
        };
    }

    private ReadOnlyMemory<byte> ReadLzf(ref byte[] buffer, long at)
    {
        int compressed = Checked(ReadNumber(), at);
        int length = Checked(ReadNumber(), at);
        if (length > (long)compressed * LzfDecoder.ExpansionMax)
            throw new RdbFormatException(at, $"{compressed} compressed bytes cannot stand for {length}.");
        var source = _source.Read(ref _compressed, compressed);
        if (buffer.Length < length)
            buffer = new byte[length];
        if (!LzfDecoder.TryDecode(source.Span, buffer.AsSpan(0, length)))
            throw new RdbFormatException(at, "a string is not what LZF compressed.");
        return buffer.AsMemory(0, length);
    }

    private static ReadOnlyMemory<byte> Number(int number, ref byte[] buffer)
    {
        if (buffer.Length < NumberLengthMax)
            buffer = new byte[NumberLengthMax];
        Utf8Formatter.TryFormat(number, buffer, out int length);
        return buffer.AsMemory(0, length);
    }

    private static int Checked(ulong length, long at) => length <= RdbFormat.StringLengthMax
        ? (int)length
        : throw new RdbFormatException(at, $"a string of {length} bytes; {RdbFormat.StringLengthMax} at most.");
}
