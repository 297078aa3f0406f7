using System.Numerics;
using System.Runtime.InteropServices;

namespace Cache.Server.Commands.Bits;

/// <summary>Counts and finds bits; bit 0 is the highest bit of byte 0.</summary>
internal static class BitSearch
{
    private const int WordBytes = sizeof(ulong);

    /// <summary>The number of ones from one bit to another, both included.</summary>
    public static long Count(ReadOnlySpan<byte> bytes, long first, long last)
    {
        int start = (int)(first >> 3);
        int end = (int)(last >> 3);
        long count = Count(bytes.Slice(start, end - start + 1));
        int before = (int)(first & 7);
        int behind = 7 - (int)(last & 7);
        count -= BitOperations.PopCount((uint)bytes[start] >> (8 - before));
        return count - BitOperations.PopCount(bytes[end] & ((1u << behind) - 1));
    }

    /// <summary>The first bit with a value from one bit to another, both included; −1: none.</summary>
    public static long Find(ReadOnlySpan<byte> bytes, long first, long last, bool bit)
    {
        byte none = bit ? (byte)0 : (byte)0xFF;
        int start = (int)(first >> 3);
        int end = (int)(last >> 3);
        int before = (int)(first & 7);
        uint head = (bit ? bytes[start] : (uint)(byte)~bytes[start]) & (0xFFu >> before);
        if (head == 0)
        {
            int found = bytes.Slice(start + 1, end - start).IndexOfAnyExcept(none);
            if (found < 0)
                return -1;
            start += 1 + found;
            head = bit ? bytes[start] : (uint)(byte)~bytes[start];
        }

        long position = start * 8L + BitOperations.LeadingZeroCount(head) - 24;
        return position <= last ? position : -1;
    }

    private static long Count(ReadOnlySpan<byte> bytes)
    {
        var words = MemoryMarshal.Cast<byte, ulong>(bytes);
        long count = 0;
        foreach (ulong word in words)
            count += BitOperations.PopCount(word);
        foreach (byte rest in bytes[(words.Length * WordBytes)..])
            count += BitOperations.PopCount(rest);
        return count;
    }
}
