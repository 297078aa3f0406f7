using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Cache.Core.Compression;

/// <summary>Decodes blocks of the LZ4 format from untrusted bytes.</summary>
/// <remarks>
/// It runs between the two version checks of a read, over bytes that may change meanwhile, and over bytes from files.
/// It assumes nothing about the source: each byte is read once, into a local that is checked before it is used (the
/// runtime introduces no second read), and every access goes through a span, so that a wrong check here would throw and
/// not read outside. Work is bounded: each turn consumes at least one byte of the source, and the target bounds what is
/// written. A refused block leaves arbitrary bytes in the target.
/// </remarks>
internal static class Lz4Decoder
{
    // Two vectors: most matches are shorter, and copying too much is cheaper than a loop.
    private const int ShortMatchMax = 2 * 16;

    /// <summary>False unless the source is a block whose value has exactly the length of the target.</summary>
    /// <param name="source">The block, or arbitrary bytes.</param>
    /// <param name="prefix">The dictionary with which it was encoded; empty for none.</param>
    /// <param name="target">Receives the value; no other thread may see it before this returns.</param>
    public static bool TryDecode(ReadOnlySpan<byte> source, ReadOnlySpan<byte> prefix, Span<byte> target)
    {
        int input = 0, output = 0;
        while (input < source.Length)
        {
            int token = source[input++];
            int literals = token >> 4;
            if (literals >= Lz4Format.LengthInTokenMax
                || !MemoryMarshal.TryRead(source[input..], out Vector128<byte> vector)
                || !vector.TryCopyTo(target[output..]))
            {
                if (literals == Lz4Format.LengthInTokenMax)
                {
                    var (more, bytes) = ReadMore(source[input..]);
                    if (bytes == 0)
                        return false;
                    literals += more;
                    input += bytes;
                }

                if (literals > source.Length - input || literals > target.Length - output)
                    return false;
                source.Slice(input, literals).CopyTo(target[output..]);
            }

            input += literals;
            output += literals;
            int match = token & Lz4Format.LengthInTokenMax;
            if (input == source.Length)
                return output == target.Length && match == 0;
            if (source.Length - input < sizeof(ushort))
                return false;
            int offset = BinaryPrimitives.ReadUInt16LittleEndian(source[input..]);
            input += sizeof(ushort);
            if (match == Lz4Format.LengthInTokenMax)
            {
                var (more, bytes) = ReadMore(source[input..]);
                if (bytes == 0)
                    return false;
                match += more;
                input += bytes;
            }

            match += Lz4Format.MatchLengthMin;
            if (offset == 0 || match > target.Length - output)
                return false;
            if (offset <= output)
                CopyMatch(target, output, offset, match);
            else if (!TryCopyPrefix(prefix, target, output, offset, match))
                return false;
            output += match;
        }

        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The common match is two loads and two stores.
    private static void CopyMatch(Span<byte> target, int output, int offset, int match)
    {
        var from = target[(output - offset)..];
        if (offset >= Vector128<byte>.Count && match <= ShortMatchMax && target.Length - output >= ShortMatchMax)
        {
            // The second load may see bytes of the first store: that continues the pattern correctly.
            var to = target[output..];
            Vector128.Create((ReadOnlySpan<byte>)from).CopyTo(to);
            Vector128.Create((ReadOnlySpan<byte>)from[Vector128<byte>.Count..]).CopyTo(to[Vector128<byte>.Count..]);
            return;
        }

        if (offset >= match)
            from[..match].CopyTo(target[output..]);
        else
            Repeat(from, offset, match);
    }

    // A match that overlaps itself repeats its first bytes: the copied part doubles with each copy.
    private static void Repeat(Span<byte> from, int offset, int match)
    {
        int end = offset + match;
        for (int have = offset; have < end; have += Math.Min(have, end - have))
            from[..Math.Min(have, end - have)].CopyTo(from[have..]);
    }

    // The bytes before the value are the end of the dictionary; the match may continue in the value.
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Behind a dictionary, every second match begins there.
    private static bool TryCopyPrefix(
        ReadOnlySpan<byte> prefix, Span<byte> target, int output, int offset, int match)
    {
        int at = prefix.Length - (offset - output);
        if (at < 0)
            return false;
        if (match <= ShortMatchMax && MemoryMarshal.TryRead(prefix[at..], out Vector256<byte> vector)
            && vector.TryCopyTo(target[output..]))
        {
            return true;
        }

        CopyAnyPrefix(prefix[at..], target, output, offset, match);
        return true;
    }

    private static void CopyAnyPrefix(
        ReadOnlySpan<byte> prefix, Span<byte> target, int output, int offset, int match)
    {
        int part = Math.Min(prefix.Length, match);
        prefix[..part].CopyTo(target[output..]);
        if (part < match)
            CopyMatch(target, output + part, offset, match - part);
    }

    // Adds bytes up to the first that is not 255, and returns their number: 0 if they do not end, or their sum exceeds
    // any target. Arguments by value: a reference to a local would keep it out of the registers.
    private static (int More, int Bytes) ReadMore(ReadOnlySpan<byte> source)
    {
        int more = 0;
        for (int i = 0; i < source.Length && more <= int.MaxValue / 2; i++)
        {
            int next = source[i];
            more += next;
            if (next != byte.MaxValue)
                return (more, i + 1);
        }

        return default;
    }
}
