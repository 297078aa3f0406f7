using System.Diagnostics;

namespace Cache.Core.Compression;

/// <summary>The bytes of a compressed value: which codec, how long the value is, and the block.</summary>
/// <remarks>
/// <code>
///  0        1                1..3
///  ├────────┼────────────────┼─────────────┤
///  │ codec  │ length, LEB128 │  LZ4 block  │     codec 0: no dictionary; 1–15: that of the number
///  └────────┴────────────────┴─────────────┘
/// </code>
/// The length is that of the value before: STRLEN needs no decoding. All bytes may change while they are read, so
/// nothing is trusted: a prefix that makes no sense is the same as none.
/// </remarks>
internal static class PackedValue
{
    /// <summary>The codec of a block without a dictionary.</summary>
    public const int NoDictionary = 0;

    /// <summary>The codecs, the one without a dictionary among them.</summary>
    public const int CodecCount = 16;

    /// <summary>Shorter values are not tried: what could be saved is a few bytes.</summary>
    public const int LengthMin = 24;

    /// <summary>The longest value: lengths in a record have 20 bits.</summary>
    public const int LengthMax = (1 << 20) - 1;

    private const int LengthBytesMax = 3;
    private const int BitsPerByte = 7;
    private const int More = 1 << BitsPerByte;

    /// <summary>Reads what comes before the block.</summary>
    /// <returns>False if these are not the bytes of a compressed value.</returns>
    public static bool TryReadPrefix(ReadOnlySpan<byte> packed, out PackedPrefix prefix)
    {
        prefix = default;
        int length = 0;
        for (int i = 1; i <= LengthBytesMax && i < packed.Length; i++)
        {
            int next = packed[i];
            length |= (next & (More - 1)) << ((i - 1) * BitsPerByte);
            if (next >= More)
                continue;
            prefix = new PackedPrefix(packed[0], length, i + 1);
            return prefix.Codec < CodecCount && length is >= LengthMin and <= LengthMax;
        }

        return false;
    }

    /// <summary>The length of the value before it was compressed; the bytes are trusted.</summary>
    public static int LengthOf(ReadOnlySpan<byte> packed)
    {
        bool isPacked = TryReadPrefix(packed, out var prefix);
        Debug.Assert(isPacked, "A compressed value has a prefix.");
        return prefix.Length;
    }

    /// <summary>Compresses a value, if that saves enough to be kept.</summary>
    /// <param name="value">The value.</param>
    /// <param name="codec">The number of the dictionary, or <see cref="NoDictionary"/>.</param>
    /// <param name="dictionary">The dictionary of that number; null for none.</param>
    /// <param name="target">Receives the bytes; at least as long as the value.</param>
    /// <param name="written">Their length.</param>
    public static bool TryPack(
        ReadOnlySpan<byte> value, int codec, Lz4Dictionary? dictionary, Span<byte> target, out int written)
    {
        Debug.Assert(codec is >= 0 and < CodecCount);
        Debug.Assert(codec == NoDictionary == dictionary is null);
        Debug.Assert(value.Length <= LengthMax);
        written = 0;
        int most = Lz4Format.KeptLengthMax(value.Length);
        if (value.Length < LengthMin)
            return false;
        int at = WritePrefix(codec, value.Length, target);
        if (!Lz4Encoder.TryEncode(value, dictionary, target[at..most], out int length))
            return false;
        written = at + length;
        return true;
    }

    /// <summary>Decodes a value; false unless it has exactly the length of the target.</summary>
    /// <param name="packed">The bytes, or arbitrary ones.</param>
    /// <param name="prefix">What was read of them.</param>
    /// <param name="dictionaries">The dictionaries.</param>
    /// <param name="target">Receives the value; no other thread may see it before this returns.</param>
    public static bool TryUnpack(
        ReadOnlySpan<byte> packed, in PackedPrefix prefix, DictionaryTable dictionaries, Span<byte> target)
    {
        Debug.Assert(target.Length == prefix.Length);
        if (!dictionaries.TryGet(prefix.Codec, out var bytes) || packed.Length < prefix.Size)
            return false;
        return Lz4Decoder.TryDecode(packed[prefix.Size..], bytes, target);
    }

    private static int WritePrefix(int codec, int length, Span<byte> target)
    {
        target[0] = (byte)codec;
        int at = 1;
        for (; length >= More; length >>= BitsPerByte)
            target[at++] = (byte)(length | More);
        target[at++] = (byte)length;
        Debug.Assert(at <= 1 + LengthBytesMax);
        return at;
    }
}

/// <summary>What comes before the block of a compressed value.</summary>
internal readonly record struct PackedPrefix(int Codec, int Length, int Size);
