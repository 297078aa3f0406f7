using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Text;
using Cache.Bench.Verbs;

namespace Cache.Bench.Subjects;

/// <summary>The key of an index: sixteen characters.</summary>
internal static class BenchKey
{
    public const int Length = 16;

    public static void Write(int index, Span<byte> key)
    {
        "key:"u8.CopyTo(key);
        for (int i = Length - 1; i >= 4; i--, index /= 10)
            key[i] = (byte)('0' + index % 10);
    }

    public static string ToText(int index) => string.Create(Length, index, static (text, index) =>
    {
        Span<byte> key = stackalloc byte[Length];
        Write(index, key);
        Encoding.ASCII.GetChars(key, text);
    });

    /// <summary>The bytes of a text key, as a caller with a string has to make them on each operation.</summary>
    /// <remarks>One store, as wide as the load that follows: narrower ones would stall it.</remarks>
    public static ReadOnlySpan<byte> Narrow(string text, Span<byte> key)
    {
        if (text.Length != Length)
            return key[..Encoding.UTF8.GetBytes(text, key)];
        var characters = MemoryMarshal.Cast<char, ushort>(text.AsSpan());
        Vector128.NarrowWithSaturation(Vector128.Create(characters), Vector128.Create(characters[8..])).CopyTo(key);
        return key[..Length];
    }
}
