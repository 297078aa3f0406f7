using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Scripting.Native;

/// <summary>Blocks of a few words for a state of Lua, of one range of memory. Used by one thread at a time.</summary>
/// <remarks>
/// Most of what a script makes are texts and tables of some words that die with it. A list of free blocks for each size
/// in steps of 16 bytes; a free block's first word leads to the next one. Nothing is given back before the end, so the
/// range is bounded, and the system gives it memory where it is touched.
/// </remarks>
internal sealed class SmallBlocks : IDisposable
{
    /// <summary>The longest block.</summary>
    public const int BytesMax = 256;

    // The scripts of an application, and what one of them makes; what is more comes from the system. All of it counts
    // as allocated, whether it is touched or not.
    private const int RangeBytes = 1 << 20;

    private const int StepBytes = 16;

    private readonly nint[] _free = new nint[BytesMax / StepBytes + 1];
    private nint _range;
    private int _used;

    /// <summary>Whether a block is of the range.</summary>
    public bool Has(nint block) => _range != 0 && (nuint)(block - _range) < RangeBytes;

    /// <summary>Takes a block.</summary>
    /// <param name="bytes">1 to <see cref="BytesMax"/>.</param>
    /// <returns>0: there is none.</returns>
    public nint Take(int bytes)
    {
        Debug.Assert(bytes is > 0 and <= BytesMax);
        int steps = StepsOf(bytes);
        nint block = _free[steps];
        if (block == 0)
            return TakeNew(Round(bytes));
        _free[steps] = Marshal.ReadIntPtr(block);
        return block;
    }

    /// <summary>Gives a block back.</summary>
    /// <param name="block">The block.</param>
    /// <param name="bytes">For which it was taken, or fewer.</param>
    public void GiveBack(nint block, int bytes)
    {
        Debug.Assert(Has(block) && bytes is > 0 and <= BytesMax);
        int steps = StepsOf(bytes);
        Marshal.WriteIntPtr(block, _free[steps]);
        _free[steps] = block;
    }

    /// <summary>How long a block for so many bytes is.</summary>
    public static int Round(int bytes) => StepsOf(bytes) * StepBytes;

    /// <summary>Copies the beginning of a block, to the end of a step.</summary>
    public static void Copy(nint from, nint to, int bytes)
    {
        for (int i = 0; i < bytes; i += sizeof(long))
            Marshal.WriteInt64(to, i, Marshal.ReadInt64(from, i));
    }

    /// <summary>Gives the memory back; no block is used any more.</summary>
    public void Dispose()
    {
        Marshal.FreeHGlobal(_range);
        _range = 0;
        _used = RangeBytes;
        Array.Clear(_free);
    }

    private nint TakeNew(int bytes)
    {
        if (_range == 0 && _used == 0)
        {
            _range = LuaMemory.TryAllocate(0, RangeBytes);
            _used = _range == 0 ? RangeBytes : 0;
        }

        if (bytes > RangeBytes - _used)
            return 0;
        nint block = _range + _used;
        _used += bytes;
        return block;
    }

    private static int StepsOf(int bytes) => (bytes + StepBytes - 1) / StepBytes;
}
