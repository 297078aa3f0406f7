using System.Buffers;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Text;
using System.Text.Unicode;

namespace Cache.Core.Distributed;

/// <summary>
/// The UTF-8 bytes of a string key, on the caller's stack if short, else in a pooled array until disposed.
/// </summary>
/// <remarks>
/// ASCII is narrowed in whole vectors, and the rest of the key is written as one vector too: a hash or a comparison
/// that loads bytes just written by narrower stores would wait until these leave the store buffer, which after a cache
/// miss takes as long as the miss.
/// </remarks>
internal readonly ref struct Utf8Key
{
    /// <summary>
    /// The bytes of stack that a caller provides: enough for ASCII keys of this length, and others of a third of it.
    /// </summary>
    public const int StackBytes = 256;

    private const int BlockChars = 16;
    private const ushort NonAsciiBits = 0xFF80;

    // A UTF-16 unit is at most this many bytes of UTF-8: a pair of surrogates is four.
    private const int BytesPerCharMax = 3;

    private readonly byte[]? _pooled;

    /// <summary>Encodes a key that must be usable.</summary>
    /// <param name="key">The key.</param>
    /// <param name="scratch"><see cref="StackBytes"/> of the caller's stack.</param>
    /// <exception cref="ArgumentException">
    /// The key has an unpaired surrogate, or is longer than the store accepts.
    /// </exception>
    public Utf8Key(string key, Span<byte> scratch)
        : this(key, scratch, out bool isUsable)
    {
        if (isUsable)
            return;
        Dispose(); // The constructor throws, so the caller has no key to dispose.
        ThrowUnusable(key);
    }

    /// <summary>
    /// Encodes a key, or reports that it has an unpaired surrogate or is longer than the store accepts.
    /// </summary>
    public Utf8Key(ReadOnlySpan<char> key, Span<byte> scratch, out bool isUsable)
    {
        isUsable = false;
        if (key.Length > CacheStore.KeyLengthMax)
            return;
        if (PaddedLength(key.Length) <= scratch.Length && TryNarrow(key, scratch))
        {
            Bytes = scratch[..key.Length];
            isUsable = true;
            return;
        }

        int lengthMax = key.Length * BytesPerCharMax;
        if (lengthMax > scratch.Length)
            scratch = _pooled = ArrayPool<byte>.Shared.Rent(lengthMax);
        var status = Utf8.FromUtf16(key, scratch, out _, out int length, replaceInvalidSequences: false);
        isUsable = status == OperationStatus.Done && length <= CacheStore.KeyLengthMax;
        if (isUsable)
            Bytes = scratch[..length];
    }

    public ReadOnlySpan<byte> Bytes { get; }

    public void Dispose()
    {
        if (_pooled is not null)
            ArrayPool<byte>.Shared.Return(_pooled);
    }

    private static int PaddedLength(int length) => (length + BlockChars - 1) & -BlockChars;

    private static bool TryNarrow(ReadOnlySpan<char> chars, Span<byte> bytes)
    {
        if (!BitConverter.IsLittleEndian)
            return false;
        var units = MemoryMarshal.Cast<char, ushort>(chars);
        while (units.Length >= BlockChars)
        {
            var low = Vector128.Create(units);
            var high = Vector128.Create(units[Vector128<ushort>.Count..]);
            if (!IsAscii(low | high))
                return false;
            Vector128.Narrow(low, high).CopyTo(bytes);
            units = units[BlockChars..];
            bytes = bytes[BlockChars..];
        }

        return units.IsEmpty || TryNarrowRest(units, bytes);
    }

    // Fewer than a block; zeros are written behind the last unit.
    private static bool TryNarrowRest(ReadOnlySpan<ushort> units, Span<byte> bytes)
    {
        ulong low;
        ulong high = 0;
        bool isAscii;
        if (units.Length < Vector128<ushort>.Count)
        {
            isAscii = TryPack(units, out low);
        }
        else
        {
            var block = Vector128.Create(units);
            low = Vector128.Narrow(block, block).AsUInt64().ToScalar();
            isAscii = IsAscii(block) & TryPack(units[Vector128<ushort>.Count..], out high);
        }

        Vector128.Create(low, high).AsByte().CopyTo(bytes);
        return isAscii;
    }

    // At most seven units, first one lowest.
    private static bool TryPack(ReadOnlySpan<ushort> units, out ulong packed)
    {
        packed = 0;
        uint seen = 0;
        for (int i = 0; i < units.Length; i++)
        {
            seen |= units[i];
            packed |= (ulong)units[i] << (8 * i);
        }

        return (seen & NonAsciiBits) == 0;
    }

    private static bool IsAscii(Vector128<ushort> units) =>
        (units & Vector128.Create(NonAsciiBits)) == Vector128<ushort>.Zero;

    private static void ThrowUnusable(string key)
    {
        int index = UnpairedSurrogateIn(key);
        throw new ArgumentException(
            index < 0
                ? string.Create(
                    CultureInfo.InvariantCulture,
                    $"The key is {Encoding.UTF8.GetByteCount(key)} bytes long in UTF-8;"
                    + $" it must be at most {CacheStore.KeyLengthMax}.")
                : string.Create(
                    CultureInfo.InvariantCulture,
                    $"The key has an unpaired surrogate, U+{(int)key[index]:X4}, at index {index};"
                    + $" it has no UTF-8 form."),
            nameof(key));
    }

    // A key that is too long is reported as such, whatever its content.
    private static int UnpairedSurrogateIn(string key)
    {
        if (key.Length > CacheStore.KeyLengthMax)
            return -1;
        for (int i = 0; i < key.Length; i++)
        {
            if (!char.IsSurrogate(key[i]))
                continue;
            if (i + 1 == key.Length || !char.IsSurrogatePair(key[i], key[i + 1]))
                return i;
            i++;
        }

        return -1;
    }
}
