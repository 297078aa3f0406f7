namespace Cache.Durability.Rdb;

/// <summary>The constants of an RDB file of version 10, which Redis 7.0 writes.</summary>
/// <remarks>
/// <code>
///  "REDIS" "0010" | (opcode ...)* ([expiry] [idle or frequency] type key value)* | 255 | CRC-64 of all before, LE
/// </code>
/// Source: Redis 7.0's rdb.h and rdb.c.
/// </remarks>
internal static class RdbFormat
{
    public const int VersionMax = 10;
    public const int HeaderLength = 9;

    /// <summary>From this version on, a checksum is at the end; 0 if it was switched off.</summary>
    public const int ChecksumVersion = 5;

    /// <summary>Redis refuses longer strings by default; so does the store.</summary>
    public const int StringLengthMax = 512 << 20;

    // The two high bits of a length are its form. In form 2, the low bits are the number of bytes; in form 3, the
    // encoding.
    public const int Length6Bits = 0;
    public const int Length14Bits = 1;
    public const int Length32Bits = 0x80;
    public const int Length64Bits = 0x81;
    public const int EncodedMark = 3;

    public const int EncodedInt8 = 0;
    public const int EncodedInt16 = 1;
    public const int EncodedInt32 = 2;
    public const int EncodedLzf = 3;

    public static ReadOnlySpan<byte> Magic => "REDIS"u8;
}
