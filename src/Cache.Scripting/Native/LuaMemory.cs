using System.Runtime.InteropServices;

namespace Cache.Scripting.Native;

/// <summary>The memory of a state of Lua, with a limit.</summary>
/// <remarks>
/// Memory is refused only while Lua itself runs, which raises an error of Lua then; while managed code calls the
/// library (<see cref="IsManaged"/>) such an error would jump over managed frames. What managed code adds is bounded by
/// its callers, and is found to be too much before the next call.
/// </remarks>
internal sealed class LuaMemory
{
    // Copying as much takes a tenth of a millisecond.
    private const long LargeBytes = 1 << 20;

    private readonly long _max;
    private long _used;

    public LuaMemory(long max)
    {
        _max = max;
        Allocator = Allocate; // Kept: the native library has its address.
    }

    public LuaAllocator Allocator { get; }

    /// <summary>The bytes in use; any thread may ask.</summary>
    public long Used => Volatile.Read(ref _used);

    /// <summary>Whether more is used than a script may.</summary>
    public bool IsOverLimit => Used > _max;

    /// <summary>
    /// Whether a script that has much work with few instructions is to end, so that it gets no large block any more:
    /// what looks at instructions would see it too late.
    /// </summary>
    public Func<bool>? IsEnding { get; set; }

    /// <summary>Whether managed code calls the library, so that nothing is refused.</summary>
    public bool IsManaged { get; set; } = true;

    private nint Allocate(nint user, nint block, nuint oldSize, nuint newSize)
    {
        long old = block == 0 ? 0 : (long)oldSize; // Without a block it says what for.
        if (newSize == 0)
        {
            Marshal.FreeHGlobal(block);
            Volatile.Write(ref _used, _used - old);
            return 0;
        }

        long more = (long)newSize - old;
        if (more > 0 && !IsManaged && (more > _max - _used || (more >= LargeBytes && IsEnding?.Invoke() == true)))
            return 0;
        nint result = TryAllocate(block, newSize);
        if (result != 0)
            Volatile.Write(ref _used, _used + more);
        return result;
    }

    private static nint TryAllocate(nint block, nuint size)
    {
        try
        {
            return block == 0 ? Marshal.AllocHGlobal((nint)size) : Marshal.ReAllocHGlobal(block, (nint)size);
        }
        catch (OutOfMemoryException)
        {
            return 0;
        }
    }
}
