using System.Diagnostics;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>The sparse form: runs of registers that are equal.</summary>
/// <remarks>
/// <code>
///  00nnnnnn            n + 1 registers of 0, 1 to 64
///  01nnnnnn nnnnnnnn   n + 1 registers of 0, 1 to 16,384; the high bits first
///  1vvvvvnn            n + 1 registers of v + 1, 1 to 4 of 1 to 32
/// </code>
/// Runs that are added by <see cref="TrySet"/> are those that Redis would write, byte for byte.
/// </remarks>
internal static class HllSparse
{
    /// <summary>The largest register of this form.</summary>
    public const int ValueMax = 32;

    /// <summary>The most bytes that a change adds: a run in the middle of another one of two bytes.</summary>
    public const int GrowthMax = 3;

    private const int ZerosMax = 64;
    private const int LongZerosMax = 16384;
    private const int ValuesMax = 4;

    // How many runs from the changed one's predecessor on are looked at for being joined.
    private const int JoinedMax = 5;

    /// <summary>Whether the runs are exactly all registers.</summary>
    public static bool IsWhole(ReadOnlySpan<byte> runs)
    {
        long registers = 0;
        int at = 0;
        while (at < runs.Length && registers <= HllFormat.Registers)
        {
            if (!TryRead(runs, at, out var run))
                return false;
            registers += run.Count;
            at += run.Length;
        }

        return registers == HllFormat.Registers && at == runs.Length;
    }

    /// <summary>Writes runs of zeros.</summary>
    /// <returns>The bytes that they take.</returns>
    public static int WriteZeros(Span<byte> runs, int count)
    {
        Debug.Assert(count is > 0 and <= LongZerosMax);
        if (count > ZerosMax)
        {
            runs[0] = (byte)(0x40 | ((count - 1) >> 8));
            runs[1] = (byte)(count - 1);
            return 2;
        }

        runs[0] = (byte)(count - 1);
        return 1;
    }

    /// <summary>As <see cref="HllFormat.TryMerge"/>.</summary>
    public static bool TryMerge(ReadOnlySpan<byte> runs, Span<byte> most)
    {
        if (!IsWhole(runs))
            return false;
        int register = 0;
        for (int at = 0; at < runs.Length;)
        {
            TryRead(runs, at, out var run);
            foreach (ref byte present in most.Slice(register, run.Count))
                present = Math.Max(present, (byte)run.Value);
            register += run.Count;
            at += run.Length;
        }

        return true;
    }

    /// <summary>The numbers of registers with each value.</summary>
    /// <returns>False if the runs are not whole.</returns>
    public static bool TryCount(ReadOnlySpan<byte> runs, Span<int> counts)
    {
        if (!IsWhole(runs))
            return false;
        for (int at = 0; at < runs.Length;)
        {
            TryRead(runs, at, out var run);
            counts[run.Value] += run.Count;
            at += run.Length;
        }

        return true;
    }

    /// <summary>Reads the run at an offset.</summary>
    /// <returns>False if there is none, or not the whole of it.</returns>
    public static bool TryRead(ReadOnlySpan<byte> runs, int at, out HllRun run)
    {
        run = default;
        if (at >= runs.Length)
            return false;
        int first = runs[at];
        if ((first & 0x80) != 0)
        {
            run = new HllRun(((first >> 2) & 0x1F) + 1, (first & 3) + 1, Length: 1);
        }
        else if ((first & 0x40) == 0)
        {
            run = new HllRun(Value: 0, first + 1, Length: 1);
        }
        else
        {
            if (at + 1 >= runs.Length)
                return false;
            run = new HllRun(Value: 0, ((first & 0x3F) << 8 | runs[at + 1]) + 1, Length: 2);
        }

        return true;
    }

    /// <summary>The value of a register.</summary>
    /// <returns>False if there are no runs up to it.</returns>
    public static bool TryGet(ReadOnlySpan<byte> runs, int index, out int value)
    {
        Find(runs, index, out int first, out _, out var run);
        value = run.Value;
        return index < first + run.Count;
    }

    /// <summary>Raises a register of whole runs to a value.</summary>
    /// <param name="runs">Room for the longest; it begins with the runs.</param>
    /// <param name="length">The length of the runs, before and after.</param>
    /// <param name="lengthMax">The most that they may take.</param>
    /// <param name="index">The register.</param>
    /// <param name="value">The value, at least 1.</param>
    /// <param name="isRaised">Whether it had a lower one.</param>
    /// <returns>False if this form has no room for it: nothing is changed.</returns>
    public static bool TrySet(
        Span<byte> runs, ref int length, int lengthMax, int index, int value, out bool isRaised)
    {
        isRaised = false;
        if (value > ValueMax)
            return false;
        int at = Find(runs[..length], index, out int first, out int before, out var run);
        Debug.Assert(index < first + run.Count, "The runs are whole.");
        if (run.Value >= value)
            return true;
        Span<byte> changed = stackalloc byte[2 + GrowthMax];
        int size = Split(run, first, index, value, changed);
        int growth = size - run.Length;
        if (growth > 0 && length + growth > lengthMax)
            return false;
        int next = at + run.Length;
        if (growth != 0)
            runs[next..length].CopyTo(runs[(next + growth)..]);
        changed[..size].CopyTo(runs[at..]);
        length += growth;
        Join(runs, ref length, before);
        isRaised = true;
        return true;
    }

    /// <returns>Where the run of a register begins; one without registers if there is none.</returns>
    private static int Find(ReadOnlySpan<byte> runs, int index, out int first, out int before, out HllRun run)
    {
        first = 0;
        before = 0;
        int at = 0;
        while (at < runs.Length)
        {
            // As TryRead, without the value: there may be thousands.
            int opcode = runs[at];
            bool isLong = (opcode & 0xC0) == 0x40;
            int count = ((opcode & 0x80) != 0 ? opcode & 3 : opcode & 0x3F) + 1;
            if (isLong)
                count = at + 1 < runs.Length ? ((opcode & 0x3F) << 8 | runs[at + 1]) + 1 : LongZerosMax;
            if (index < first + count)
                break;
            before = at;
            first += count;
            at += isLong ? 2 : 1;
        }

        TryRead(runs, at, out run);
        return at;
    }

    /// <summary>Writes what a run becomes when one of its registers gets a value.</summary>
    /// <returns>The bytes of it.</returns>
    private static int Split(in HllRun run, int first, int index, int value, Span<byte> changed)
    {
        int size = 0;
        if (index > first)
            size += WriteRun(changed[size..], run.Value, index - first);
        size += WriteRun(changed[size..], value, 1);
        int behind = first + run.Count - 1 - index;
        if (behind > 0)
            size += WriteRun(changed[size..], run.Value, behind);
        return size;
    }

    private static int WriteRun(Span<byte> runs, int value, int count)
    {
        if (value == 0)
            return WriteZeros(runs, count);
        Debug.Assert(count <= ValuesMax);
        runs[0] = (byte)(0x80 | (value - 1) << 2 | (count - 1));
        return 1;
    }

    /// <summary>Joins runs of the same value, from an offset on.</summary>
    private static void Join(Span<byte> runs, ref int length, int at)
    {
        for (int looked = 0; looked < JoinedMax && TryRead(runs[..length], at, out var run); looked++)
        {
            if (run.Value == 0 || !TryRead(runs[..length], at + 1, out var next) || next.Value != run.Value
                || run.Count + next.Count > ValuesMax)
            {
                at += run.Length;
                continue;
            }

            WriteRun(runs[(at + 1)..], run.Value, run.Count + next.Count);
            runs[(at + 1)..length].CopyTo(runs[at..]);
            length--;
        }
    }
}
