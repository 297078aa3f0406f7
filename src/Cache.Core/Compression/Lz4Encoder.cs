using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Cache.Core.Compression;

/// <summary>Encodes blocks of the LZ4 format; gives up when the target is full.</summary>
/// <remarks>
/// Algorithm: greedy. A table maps the hash of four bytes to their last position; a match is extended in both
/// directions. While nothing is found the steps grow, so that incompressible values cost little. An entry is the low 16
/// bits of a position: read as a distance from the present position it never exceeds the distance of a match, so a long
/// value needs no wider table, and a wrong entry is at worst a candidate that does not match.
/// Bounds: every access goes through a span. The source may change meanwhile: then the block is garbage, but it is
/// within the target, and the call ends; each read is made once or checked again by its span.
/// Equal sources make equal blocks: the table is cleared before each.
/// </remarks>
internal static class Lz4Encoder
{
    // Short values use a small part of the table, which is cleared in a few instructions; 8 KB stay in the cache.
    private const int TableBitsMin = 7;
    private const int TableBitsMax = 12;

    // The number of misses in a row after which the steps grow by one.
    private const int MissesPerStepBits = 6;

    private const int NoRoom = -1;

    [ThreadStatic]
    private static ushort[]? t_places;

    /// <summary>False if the block would be longer than the target, whose content is then useless.</summary>
    /// <param name="source">The value.</param>
    /// <param name="dictionary">The decoder's dictionary; null for none.</param>
    /// <param name="target">Receives the block; its length is the limit.</param>
    /// <param name="written">The length of the block.</param>
    public static bool TryEncode(
        ReadOnlySpan<byte> source, Lz4Dictionary? dictionary, Span<byte> target, out int written)
    {
        var places = PlacesFor(source.Length);
        int shift = 32 - BitOperations.Log2((uint)places.Length);
        int searchEnd = source.Length - Lz4Format.MatchStartMargin;
        int position = 0, anchor = 0, misses = 1 << MissesPerStepBits, output = 0;
        while (position <= searchEnd)
        {
            uint word = Read32(source, position);
            ref ushort place = ref places[(int)Hash(word, shift)];
            int offset = (ushort)(position - place);
            place = (ushort)position;
            int length;
            if ((uint)(offset - 1) < (uint)position && Read32(source, position - offset) == word)
            {
                length = Lz4Format.MatchLengthMin + LengthOfMatch(source, position, source, position - offset);
                int from = position - offset;
                for (; position > anchor && from > 0 && source[position - 1] == source[from - 1]; position--, from--)
                    length++;
            }
            else if (dictionary is not null && dictionary.TryFind(word, out int at)
                && position + dictionary.Length - at <= Lz4Format.OffsetMax)
            {
                var prefix = dictionary.Bytes;
                offset = position + prefix.Length - at;
                length = Lz4Format.MatchLengthMin + LengthOfMatch(source, position, prefix, at);
                for (; position > anchor && at > 0 && source[position - 1] == prefix[at - 1]; position--, at--)
                    length++;
            }
            else
            {
                position += misses++ >> MissesPerStepBits;
                continue;
            }

            misses = 1 << MissesPerStepBits;
            output = WriteSequence(source, anchor, position - anchor, offset, length, target, output);
            if (output < 0)
                break;
            position += length;
            anchor = position;
            if (position <= searchEnd)
                places[(int)Hash(Read32(source, position - 2), shift)] = (ushort)(position - 2);
        }

        written = output < 0 ? NoRoom : WriteLast(source[anchor..], target, output);
        return written >= 0;
    }

    // The next methods return the written length of the target, or NoRoom: references to locals would keep them out of
    // the registers.
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The common sequence is a token, one vector, and the offset.
    private static int WriteSequence(
        ReadOnlySpan<byte> source, int anchor, int literals, int offset, int length, Span<byte> target, int output)
    {
        Debug.Assert(offset is > 0 and <= Lz4Format.OffsetMax);
        int more = length - Lz4Format.MatchLengthMin;
        if (literals < Lz4Format.LengthInTokenMax && more < Lz4Format.LengthInTokenMax
            && target.Length - output > Vector128<byte>.Count + sizeof(ushort)
            && MemoryMarshal.TryRead(source[anchor..], out Vector128<byte> vector))
        {
            target[output] = (byte)(literals << 4 | more);
            vector.CopyTo(target[(output + 1)..]);
            output += 1 + literals;
            BinaryPrimitives.WriteUInt16LittleEndian(target[output..], (ushort)offset);
            return output + sizeof(ushort);
        }

        return WriteAnySequence(source.Slice(anchor, literals), offset, more, target, output);
    }

    private static int WriteAnySequence(
        ReadOnlySpan<byte> literals, int offset, int more, Span<byte> target, int output)
    {
        if (LengthOf(literals.Length) + sizeof(ushort) + BytesOfMore(more) > target.Length - output)
            return NoRoom;
        int token = output;
        output = WriteLiterals(literals, target, output);
        target[token] |= (byte)Math.Min(more, Lz4Format.LengthInTokenMax);
        BinaryPrimitives.WriteUInt16LittleEndian(target[output..], (ushort)offset);
        return WriteMore(more, target, output + sizeof(ushort));
    }

    private static int WriteLast(ReadOnlySpan<byte> literals, Span<byte> target, int output) =>
        LengthOf(literals.Length) > target.Length - output ? NoRoom : WriteLiterals(literals, target, output);

    private static int WriteLiterals(ReadOnlySpan<byte> literals, Span<byte> target, int output)
    {
        target[output] = (byte)(Math.Min(literals.Length, Lz4Format.LengthInTokenMax) << 4);
        output = WriteMore(literals.Length, target, output + 1);
        literals.CopyTo(target[output..]);
        return output + literals.Length;
    }

    private static int WriteMore(int length, Span<byte> target, int output)
    {
        if (length < Lz4Format.LengthInTokenMax)
            return output;
        int rest = length - Lz4Format.LengthInTokenMax;
        int full = rest / byte.MaxValue;
        target.Slice(output, full).Fill(byte.MaxValue);
        target[output + full] = (byte)(rest - full * byte.MaxValue);
        return output + full + 1;
    }

    // The token and the literals with their length.
    private static long LengthOf(int literals) => 1L + BytesOfMore(literals) + literals;

    private static int BytesOfMore(int length) =>
        length < Lz4Format.LengthInTokenMax ? 0 : (length - Lz4Format.LengthInTokenMax) / byte.MaxValue + 1;

    // The length of the match behind its first four bytes, up to the final literals.
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Most matches end in the first eight bytes.
    private static int LengthOfMatch(ReadOnlySpan<byte> source, int position, ReadOnlySpan<byte> other, int at)
    {
        position += Lz4Format.MatchLengthMin;
        at += Lz4Format.MatchLengthMin;
        int most = Math.Min(source.Length - Lz4Format.LastLiterals - position, other.Length - at);
        int length = 0;
        for (; length <= most - sizeof(ulong); length += sizeof(ulong))
        {
            ulong difference = Read64(source, position + length) ^ Read64(other, at + length);
            if (difference != 0)
                return length + (BitOperations.TrailingZeroCount(difference) >> 3);
        }

        while (length < most && source[position + length] == other[at + length])
            length++;
        return length;
    }

    private static Span<ushort> PlacesFor(int length)
    {
        int bits = Math.Clamp(BitOperations.Log2((uint)length), TableBitsMin, TableBitsMax);
        var places = (t_places ??= new ushort[1 << TableBitsMax]).AsSpan(0, 1 << bits);
        places.Clear();
        return places;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Two instructions.
    private static uint Hash(uint word, int shift) => Lz4Dictionary.Mix(word) >> shift;

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load and its check.
    private static uint Read32(ReadOnlySpan<byte> bytes, int at) =>
        BinaryPrimitives.ReadUInt32LittleEndian(bytes.Slice(at, sizeof(uint)));

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load and its check.
    private static ulong Read64(ReadOnlySpan<byte> bytes, int at) =>
        BinaryPrimitives.ReadUInt64LittleEndian(bytes.Slice(at, sizeof(ulong)));
}
