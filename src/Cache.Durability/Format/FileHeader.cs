using System.Buffers.Binary;

namespace Cache.Durability.Format;

/// <summary>The first 4,096 bytes of a journal or a snapshot.</summary>
/// <remarks>
/// <code>
///     0 "CACHEDUR"       8 u16 major        10 u16 minor      12 u32 alignment of blocks: 64 or 4096
///    16 u64 file id     24 u64 store id     32 u64 LSN of the first record, 0 if it was not known yet
///    40 i64 wall ms     48 zeros          4092 u32 CRC32C of 0..4091
/// </code>
/// Numbers are little-endian. A file of an unknown major version is refused; a file of an unknown minor version is
/// read, without the additions of that version.
/// </remarks>
/// <param name="Major">The version of the format.</param>
/// <param name="Minor">The minor version, compatible with others of the same major version.</param>
/// <param name="Alignment">The alignment of blocks.</param>
/// <param name="FileId">A random number that each block repeats.</param>
/// <param name="StoreId">The random number of the directory.</param>
/// <param name="FirstLsn">The place of the first record in the order of all records.</param>
/// <param name="WallMs">When it was created.</param>
internal readonly record struct FileHeader(
    int Major, int Minor, int Alignment, ulong FileId, ulong StoreId, ulong FirstLsn, long WallMs)
{
    public const int Size = 4096;
    public const int CurrentMajor = 1;

    /// <summary>1: blocks may be compressed.</summary>
    public const int CurrentMinor = 1;

    /// <summary>The alignment of files that are written through the page cache.</summary>
    public const int BufferedAlignment = 64;

    /// <summary>The alignment of files that are written without it.</summary>
    public const int DirectAlignment = 4096;

    private const int ChecksumOffset = Size - sizeof(uint);

    private static ReadOnlySpan<byte> Magic => "CACHEDUR"u8;

    public void Write(Span<byte> header)
    {
        header = header[..Size];
        header.Clear();
        Magic.CopyTo(header);
        BinaryPrimitives.WriteUInt16LittleEndian(header[8..], (ushort)Major);
        BinaryPrimitives.WriteUInt16LittleEndian(header[10..], (ushort)Minor);
        BinaryPrimitives.WriteInt32LittleEndian(header[12..], Alignment);
        BinaryPrimitives.WriteUInt64LittleEndian(header[16..], FileId);
        BinaryPrimitives.WriteUInt64LittleEndian(header[24..], StoreId);
        BinaryPrimitives.WriteUInt64LittleEndian(header[32..], FirstLsn);
        BinaryPrimitives.WriteInt64LittleEndian(header[40..], WallMs);
        BinaryPrimitives.WriteUInt32LittleEndian(header[ChecksumOffset..], Crc32C.Of(header[..ChecksumOffset]));
    }

    /// <summary>Reads a header, or returns the error.</summary>
    public static bool TryRead(ReadOnlySpan<byte> header, out FileHeader read, out string problem)
    {
        read = default;
        problem = "";
        if (header.Length < Size || !header.StartsWith(Magic))
            problem = "is no file of this cache";
        else if (BinaryPrimitives.ReadUInt16LittleEndian(header[8..]) is var major && major != CurrentMajor)
            problem = $"has version {major} of the format; this program reads version {CurrentMajor}";
        else if (!IsWhole(header))
            problem = "has a damaged header";
        else
            read = Decode(header);
        if (problem.Length == 0 && read.Alignment is not (BufferedAlignment or DirectAlignment))
            problem = $"has blocks of alignment {read.Alignment}";
        return problem.Length == 0;
    }

    private static bool IsWhole(ReadOnlySpan<byte> header) =>
        BinaryPrimitives.ReadUInt32LittleEndian(header[ChecksumOffset..]) == Crc32C.Of(header[..ChecksumOffset]);

    private static FileHeader Decode(ReadOnlySpan<byte> header) => new(
        BinaryPrimitives.ReadUInt16LittleEndian(header[8..]),
        BinaryPrimitives.ReadUInt16LittleEndian(header[10..]),
        BinaryPrimitives.ReadInt32LittleEndian(header[12..]),
        BinaryPrimitives.ReadUInt64LittleEndian(header[16..]),
        BinaryPrimitives.ReadUInt64LittleEndian(header[24..]),
        BinaryPrimitives.ReadUInt64LittleEndian(header[32..]),
        BinaryPrimitives.ReadInt64LittleEndian(header[40..]));
}
