using System.Buffers;

namespace Cache.Core.Compression;

/// <summary>Reads of a part of a compressed value: all of it is decoded, since each match may reach back to its start.
/// </summary>
internal static class PartOfValue
{
    // On the stack; longer ones are rented.
    private const int StackLengthMax = 1 << 10;

    /// <summary>Decodes the bytes from an offset that the target has room for.</summary>
    /// <returns>False if these are not the bytes of a value.</returns>
    public static bool TryUnpack(
        ReadOnlySpan<byte> packed, in PackedPrefix prefix, DictionaryTable dictionaries, int offset, Span<byte> target)
    {
        if (prefix.Length <= StackLengthMax)
            return TryUnpack(packed, prefix, dictionaries, offset, target, stackalloc byte[prefix.Length]);
        byte[] rented = ArrayPool<byte>.Shared.Rent(prefix.Length);
        bool isUnpacked = TryUnpack(packed, prefix, dictionaries, offset, target, rented.AsSpan(0, prefix.Length));
        ArrayPool<byte>.Shared.Return(rented);
        return isUnpacked;
    }

    private static bool TryUnpack(
        ReadOnlySpan<byte> packed, in PackedPrefix prefix, DictionaryTable dictionaries, int offset, Span<byte> target,
        Span<byte> value)
    {
        if (!PackedValue.TryUnpack(packed, prefix, dictionaries, value))
            return false;
        value.Slice(offset, target.Length).CopyTo(target);
        return true;
    }
}
