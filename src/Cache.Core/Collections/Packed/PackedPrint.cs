using System.Buffers.Binary;

namespace Cache.Core.Collections.Packed;

/// <summary>One byte of a name's hash, by which a packed collection is searched.</summary>
/// <remarks>It lies in snapshots and journals: it never changes, and has no secret.</remarks>
internal static class PackedPrint
{
    private const uint Multiplier = 0x9E3779B1;

    public static byte Of(ReadOnlySpan<byte> name)
    {
        uint sum = (uint)name.Length;
        if (name.Length >= sizeof(uint))
        {
            sum += BinaryPrimitives.ReadUInt32LittleEndian(name) * 0x85EBCA6B;
            sum = uint.RotateLeft(sum, 15) ^ BinaryPrimitives.ReadUInt32LittleEndian(name[^sizeof(uint)..]);
        }
        else
        {
            foreach (byte part in name)
                sum = (sum << 8) + sum + part;
        }

        return (byte)((sum * Multiplier) >> 24);
    }
}
