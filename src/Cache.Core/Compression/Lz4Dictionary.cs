using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Compression;

/// <summary>Bytes that encoder and decoder put before every value, and an index of their words.</summary>
/// <remarks>
/// A short value repeats itself little: it repeats what similar values have. The table is made once, and holds the last
/// place of each word. Immutable after the constructor, so thread-safe.
/// </remarks>
internal sealed class Lz4Dictionary
{
    /// <summary>More would not fit in the first-level cache with its table; 32 KB gained nothing.</summary>
    public const int LengthMax = 8 << 10;

    private const int TableBits = 13;

    private readonly byte[] _bytes;

    // The place of a word plus one; 0 for none.
    private readonly ushort[] _places = new ushort[1 << TableBits];

    /// <param name="bytes">The dictionary owns them: the caller must not change them.</param>
    public Lz4Dictionary(byte[] bytes)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes.Length, LengthMax);
        _bytes = bytes;
        for (int at = 0; at <= bytes.Length - sizeof(uint); at++)
            _places[PlaceOf(BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(at)))] = (ushort)(at + 1);
    }

    public int Length => _bytes.Length;

    /// <summary>The bytes that the longest dictionary holds, with its table.</summary>
    public static int SizeMax => LengthMax + (sizeof(ushort) << TableBits);

    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>The place of these four bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Most words are absent, which one load of the table shows.
    public bool TryFind(uint word, out int at)
    {
        at = _places[PlaceOf(word)] - 1;
        Debug.Assert(at < 0 || at <= _bytes.Length - sizeof(uint));
        return at >= 0 && BinaryPrimitives.ReadUInt32LittleEndian(_bytes.AsSpan(at)) == word;
    }

    /// <summary>The high bits of the product depend on all bits of the word.</summary>
    public static uint Mix(uint word) => word * 2654435761;

    private static int PlaceOf(uint word) => (int)(Mix(word) >> (32 - TableBits));
}
