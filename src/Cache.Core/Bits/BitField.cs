using System.Diagnostics;

namespace Cache.Core.Bits;

/// <summary>Numbers of some bits within bytes; bit 0 is the highest bit of byte 0, as in Redis.</summary>
internal static class BitField
{
    private const int BitsOfLong = 64;

    /// <summary>Runs a step on a value that is long enough for it.</summary>
    public static void Run(ref BitFieldStep step, Span<byte> value)
    {
        if (step.Action == BitFieldAction.Get)
        {
            Get(ref step, value);
            return;
        }

        Debug.Assert(value.Length >= step.LengthMin);
        long present = Read(step, value);
        bool adds = step.Action == BitFieldAction.Add;
        bool fits = step.IsSigned
            ? TryAddSigned(adds ? present : step.Value, adds ? step.Value : 0, step.Width, step.Overflow, out long next)
            : TryAddUnsigned(adds ? present : step.Value, adds ? step.Value : 0, step.Width, step.Overflow, out next);
        step.Result = null;
        if (!fits && step.Overflow == BitFieldOverflow.Fail)
            return;
        step.Result = adds ? next : present;
        Write(value, step.Offset, step.Width, (ulong)next);
    }

    /// <summary>Reads a step's number; bits after the value's end are zeros.</summary>
    public static void Get(ref BitFieldStep step, ReadOnlySpan<byte> value) => step.Result = Read(step, value);

    private static long Read(in BitFieldStep step, ReadOnlySpan<byte> value)
    {
        ulong bits = 0;
        long end = step.Offset + step.Width;
        for (long at = step.Offset; at < end;)
        {
            long index = at >> 3;
            int first = (int)(at & 7);
            int count = (int)Math.Min(8 - first, end - at);
            uint part = index < value.Length ? value[(int)index] : 0u;
            part = (part >> (8 - first - count)) & ((1u << count) - 1);
            bits = (bits << count) | part;
            at += count;
        }

        int unused = BitsOfLong - step.Width;
        return step.IsSigned ? (long)(bits << unused) >> unused : (long)bits;
    }

    private static void Write(Span<byte> value, long offset, int width, ulong bits)
    {
        long end = offset + width;
        for (long at = offset; at < end;)
        {
            int first = (int)(at & 7);
            int count = (int)Math.Min(8 - first, end - at);
            int shift = 8 - first - count;
            uint mask = ((1u << count) - 1) << shift;
            uint part = (uint)(bits >> (int)(end - at - count)) << shift;
            ref byte target = ref value[(int)(at >> 3)];
            target = (byte)((target & ~mask) | (part & mask));
            at += count;
        }
    }

    // Decided in the same order as Redis: a value to set may be too large by itself.
    private static bool TryAddSigned(long value, long delta, int width, BitFieldOverflow overflow, out long result)
    {
        long max = width == BitsOfLong ? long.MaxValue : (1L << (width - 1)) - 1;
        long min = -max - 1;
        long room = unchecked(max - value);
        long depth = unchecked(min - value);
        bool isWide = width == BitsOfLong;
        result = unchecked(value + delta);
        if (value > max || (!isWide && delta > room) || (value >= 0 && delta > 0 && delta > room))
        {
            result = overflow == BitFieldOverflow.Saturate ? max : WrapSigned(result, width);
            return false;
        }

        if (value < min || (!isWide && delta < depth) || (value < 0 && delta < 0 && delta < depth))
        {
            result = overflow == BitFieldOverflow.Saturate ? min : WrapSigned(result, width);
            return false;
        }

        return true;
    }

    private static bool TryAddUnsigned(long value, long delta, int width, BitFieldOverflow overflow, out long result)
    {
        ulong max = (1UL << width) - 1;
        long room = unchecked((long)(max - (ulong)value));
        long depth = unchecked(-value);
        ulong sum = unchecked((ulong)value + (ulong)delta);
        result = (long)sum;
        if ((ulong)value > max || (delta > 0 && delta > room))
        {
            result = (long)(overflow == BitFieldOverflow.Saturate ? max : sum & max);
            return false;
        }

        if (delta < 0 && delta < depth)
        {
            result = (long)(overflow == BitFieldOverflow.Saturate ? 0 : sum & max);
            return false;
        }

        return true;
    }

    private static long WrapSigned(long value, int width)
    {
        int unused = BitsOfLong - width;
        return value << unused >> unused;
    }
}
