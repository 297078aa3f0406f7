using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Compression;

/// <summary>Bytes that stand before every value as encoder and decoder see it, and where their words are.</summary>
/// <remarks>
/// A short value has few repetitions of its own: it repeats what others like it have. The table is made once, and holds
/// for a word the place that is nearest to the end. Nothing changes after the constructor: any thread may use it.
/// </remarks>
internal sealed class Lz4Dictionary
{
    /// <summary>More would not stay in the first cache beside its table; 32 KB gained nothing.</summary>
    public const int LengthMax = 8 << 10;

    private const int TableBits = 13;

    private readonly byte[] _bytes;

    // The place of a word plus one; 0 for none.
    private readonly ushort[] _places = new ushort[1 << TableBits];

    /// <param name="bytes">What becomes the dictionary's own: nobody may change it.</param>
    public Lz4Dictionary(byte[] bytes)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes.Length, LengthMax);
        _bytes = bytes;
        for (int at = 0; at <= bytes.Length - sizeof(uint); at++)
            _places[PlaceOf(BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(at)))] = (ushort)(at + 1);
    }

    public int Length => _bytes.Length;

    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>Where these four bytes stand.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Most words are not there, which the table tells in one load.
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
