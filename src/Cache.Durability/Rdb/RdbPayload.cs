using System.Buffers.Binary;

namespace Cache.Durability.Rdb;

/// <summary>What DUMP tells and RESTORE takes: a value with the version of its form and a checksum.</summary>
/// <remarks>
/// <code>
///  type 1 │ value │ version 2, LE │ CRC-64 of all before 8, LE
/// </code>
/// Source: Redis 7.0's cluster.c.
/// </remarks>
internal static class RdbPayload
{
    private const int ChecksumLength = sizeof(ulong);

    /// <summary>The bytes behind the value.</summary>
    public const int FooterLength = sizeof(ushort) + ChecksumLength;

    /// <summary>Writes what is behind a value.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="value">The value, as a file of that version has it.</param>
    /// <param name="version">The version.</param>
    /// <param name="footer">Gets it.</param>
    public static void WriteFooter(RdbType type, ReadOnlySpan<byte> value, int version, Span<byte> footer)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(footer, (ushort)version);
        ulong sum = Crc64.Append(Crc64.Append(0, [(byte)type]), value);
        BinaryPrimitives.WriteUInt64LittleEndian(
            footer[sizeof(ushort)..], Crc64.Append(sum, footer[..sizeof(ushort)]));
    }

    /// <summary>Checks version and checksum.</summary>
    /// <param name="payload">The payload, from anybody.</param>
    /// <param name="value">The type and the value, which may still be anything.</param>
    /// <returns>False if the version is later than ours, or the checksum another one.</returns>
    public static bool TryOpen(ReadOnlySpan<byte> payload, out ReadOnlySpan<byte> value)
    {
        value = default;
        if (payload.Length < FooterLength)
            return false;
        var footer = payload[^FooterLength..];
        if (BinaryPrimitives.ReadUInt16LittleEndian(footer) > RdbFormat.VersionMax
            || BinaryPrimitives.ReadUInt64LittleEndian(footer[sizeof(ushort)..])
            != Crc64.Append(0, payload[..^ChecksumLength]))
        {
            return false;
        }

        value = payload[..^FooterLength];
        return true;
    }
}
