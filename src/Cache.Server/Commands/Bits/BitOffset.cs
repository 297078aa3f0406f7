using Cache.Server.Protocol;

namespace Cache.Server.Commands.Bits;

/// <summary>The argument that names a bit of a value.</summary>
internal static class BitOffset
{
    public static ReadOnlySpan<byte> Error => "ERR bit offset is not an integer or out of range"u8;

    /// <summary>Reads it.</summary>
    /// <param name="text">A number of bits, or # and a number of fields.</param>
    /// <param name="width">The bits of a field; 0: # is not allowed.</param>
    /// <param name="bytesMax">The longest value.</param>
    /// <param name="offset">The bit, from 0.</param>
    public static bool TryParse(ReadOnlySpan<byte> text, int width, long bytesMax, out long offset)
    {
        bool isOfFields = width > 0 && !text.IsEmpty && text[0] == (byte)'#';
        if (!RespInteger.TryParse(isOfFields ? text[1..] : text, out offset))
            return false;
        if (isOfFields)
            offset = unchecked(offset * width);
        return offset >= 0 && offset >> 3 < bytesMax;
    }
}
