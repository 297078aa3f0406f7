using System.Buffers;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;

namespace Cache.Core.Hybrid;

/// <summary>Strings as UTF-8, or as UTF-16 if they have no UTF-8 form.</summary>
internal sealed class TextSerializer : ValueSerializer<string>
{
    public override ValueFlags Serialize(string value, IBufferWriter<byte> target)
    {
        var span = target.GetSpan(Encoding.UTF8.GetMaxByteCount(value.Length));
        var status = Utf8.FromUtf16(value, span, out _, out int written, replaceInvalidSequences: false);
        if (status == OperationStatus.Done)
        {
            target.Advance(written);
            return ValueFlags.None;
        }

        target.Write(MemoryMarshal.AsBytes(value.AsSpan()));
        return ValueFlags.Utf16;
    }

    public override string Deserialize(ReadOnlySpan<byte> payload, ValueFlags flags, byte[]? own) =>
        (flags & ValueFlags.Utf16) == 0
            ? Encoding.UTF8.GetString(payload)
            : new string(MemoryMarshal.Cast<byte, char>(payload));
}
