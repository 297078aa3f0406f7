using System.Buffers.Binary;
using Cache.Durability.Format;

namespace Cache.Durability.Tests.Format;

public sealed class HeaderTests
{
    private static readonly FileHeader s_file = new(1, 0, 64, 0x1122334455667788, 0x99, 7, 1234);

    private static readonly BlockHeader s_block =
        new(0x1122334455667788, 5, 4, 100, 200, 0xABCD, BlockKind.Journal, 1, 1234, 99);

    [Fact]
    public void File_LiesAsDrawn()
    {
        byte[] bytes = Written(s_file);
        Assert.Equal(
            "4341434845445552" + "0100" + "0000" + "40000000" + "8877665544332211", Convert.ToHexString(bytes, 0, 24));
        Assert.True(FileHeader.TryRead(bytes, out var read, out _));
        Assert.Equal(s_file, read);
    }

    [Fact]
    public void File_OfANewerMinorVersion_IsRead()
    {
        Assert.True(FileHeader.TryRead(Written(s_file with { Minor = 9 }), out var read, out _));
        Assert.Equal(9, read.Minor);
    }

    [Fact]
    public void File_OfAnotherMajorVersion_IsRefused()
    {
        Assert.False(FileHeader.TryRead(Written(s_file with { Major = 2 }), out _, out string problem));
        Assert.Equal("has version 2 of the format; this program reads version 1", problem);
    }

    [Fact]
    public void File_AnyFlippedByte_IsRefused()
    {
        byte[] bytes = Written(s_file);
        for (int i = 0; i < bytes.Length; i++)
        {
            bytes[i] ^= 0x40;
            Assert.False(FileHeader.TryRead(bytes, out _, out _));
            bytes[i] ^= 0x40;
        }
    }

    [Fact]
    public void File_TooShort_IsRefused() =>
        Assert.False(FileHeader.TryRead(Written(s_file).AsSpan(0, FileHeader.Size - 1), out _, out _));

    [Fact]
    public void Block_LiesAsDrawn()
    {
        byte[] bytes = Written(s_block);
        Assert.Equal("CBK1"u8, bytes.AsSpan(0, 4));
        Assert.Equal(
            "8877665544332211" + "0500000000000000" + "0400000000000000" + "64000000" + "C8000000" + "CDAB0000"
            + "01" + "01" + "0000" + "D204000000000000" + "6300000000000000",
            Convert.ToHexString(bytes, 8, 56));
        Assert.True(BlockHeader.TryRead(bytes, s_block.FileId, out var read));
        Assert.Equal(s_block, read);
    }

    [Fact]
    public void Block_OfAnotherFile_IsNone() => Assert.False(BlockHeader.TryRead(Written(s_block), 1, out _));

    [Fact]
    public void Block_AnyFlippedByte_IsNone()
    {
        byte[] bytes = Written(s_block);
        for (int i = 0; i < bytes.Length; i++)
        {
            bytes[i] ^= 0x40;
            Assert.False(BlockHeader.TryRead(bytes, s_block.FileId, out _));
            bytes[i] ^= 0x40;
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(BlockHeader.PayloadBytesMax + 1)]
    public void Block_WithAnImpossibleSizeAndARightChecksum_IsNone(int size)
    {
        Assert.False(BlockHeader.TryRead(Written(s_block with { StoredBytes = size }), s_block.FileId, out _));
        Assert.False(BlockHeader.TryRead(Written(s_block with { RawBytes = size }), s_block.FileId, out _));
    }

    [Theory]
    [InlineData(0, 64, 64)]
    [InlineData(1, 64, 128)]
    [InlineData(64, 64, 128)]
    [InlineData(65, 64, 192)]
    [InlineData(1, 4096, 4096)]
    [InlineData(4032, 4096, 4096)]
    [InlineData(4033, 4096, 8192)]
    public void Block_TakesWholeUnits(int stored, int alignment, int length) =>
        Assert.Equal(length, BlockHeader.LengthOf(stored, alignment));

    [Fact]
    public void Magic_IsFirst() =>
        Assert.Equal(BlockHeader.Magic, BinaryPrimitives.ReadUInt32LittleEndian(Written(s_block)));

    private static byte[] Written(FileHeader header)
    {
        byte[] bytes = new byte[FileHeader.Size];
        header.Write(bytes);
        return bytes;
    }

    private static byte[] Written(BlockHeader header)
    {
        byte[] bytes = new byte[BlockHeader.Size];
        header.Write(bytes);
        return bytes;
    }
}
