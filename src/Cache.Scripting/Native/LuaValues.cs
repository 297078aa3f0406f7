using System.Runtime.InteropServices;
using System.Text;

namespace Cache.Scripting.Native;

/// <summary>Moves texts between managed memory and Lua.</summary>
internal static class LuaValues
{
    /// <summary>Pushes a text.</summary>
    public static void Push(nint state, ReadOnlySpan<byte> text)
    {
        byte none = 0;
        if (text.IsEmpty)
            LuaApi.PushText(state, in none, 0);
        else
            LuaApi.PushText(state, in text[0], (nuint)text.Length);
    }

    /// <summary>Copies a text to an array of the caller, which is replaced by a longer one if need be.</summary>
    /// <param name="state">The state.</param>
    /// <param name="index">Where a text is, or a number, which becomes one.</param>
    /// <param name="buffer">The array.</param>
    public static ReadOnlySpan<byte> Read(nint state, int index, ref byte[] buffer)
    {
        nint address = LuaApi.ToText(state, index, out nuint length);
        int count = checked((int)length);
        if (address == 0 || count == 0)
            return default;
        if (count > buffer.Length)
            buffer = new byte[Math.Max(count, (int)Math.Min(2L * buffer.Length, Array.MaxLength))];
        Marshal.Copy(address, buffer, 0, count);
        return buffer.AsSpan(0, count);
    }

    /// <summary>A text as chars that are its bytes.</summary>
    public static string ReadChars(nint state, int index)
    {
        byte[] buffer = new byte[64];
        return Encoding.Latin1.GetString(Read(state, index, ref buffer));
    }
}
