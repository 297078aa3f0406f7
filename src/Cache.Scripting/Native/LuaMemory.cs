using System.Runtime.InteropServices;

namespace Cache.Scripting.Native;

/// <summary>The memory of a state of Lua, with a limit.</summary>
/// <remarks>
/// Memory is refused only while Lua itself runs, which raises an error of Lua then; while managed code calls the
/// library (<see cref="IsManaged"/>) such an error would jump over managed frames. What managed code adds is bounded by
/// its callers, and is found to be too much before the next call.
/// </remarks>
internal sealed class LuaMemory : IDisposable
{
    // Copying as much takes a tenth of a millisecond.
    private const long LargeBytes = 1 << 20;

    private readonly SmallBlocks _small = new();
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

    /// <summary>Gives the memory back, after the state has ended.</summary>
    public void Dispose() => _small.Dispose();

    /// <summary>A block of the system, or one that has grown or shrunk.</summary>
    /// <returns>0: there is no memory.</returns>
    public static nint TryAllocate(nint block, nuint size)
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

    private nint Allocate(nint user, nint block, nuint oldSize, nuint newSize)
    {
        long old = block == 0 ? 0 : (long)oldSize; // Without a block it says what for.
        if (newSize == 0)
        {
            Free(block, (int)Math.Min(old, SmallBlocks.BytesMax));
            Volatile.Write(ref _used, _used - old);
            return 0;
        }

        long more = (long)newSize - old;
        if (more > 0 && !IsManaged && (more > _max - _used || (more >= LargeBytes && IsEnding?.Invoke() == true)))
            return 0;
        nint result = block == 0 ? Take(newSize)
            : _small.Has(block) ? Resize(block, (int)old, newSize)
            : TryAllocate(block, newSize);
        if (result != 0)
            Volatile.Write(ref _used, _used + more);
        return result;
    }

    private void Free(nint block, int size)
    {
        if (_small.Has(block))
            _small.GiveBack(block, size);
        else
            Marshal.FreeHGlobal(block);
    }

    private nint Take(nuint size)
    {
        if (size > SmallBlocks.BytesMax)
            return TryAllocate(0, size);
        nint block = _small.Take((int)size);
        return block != 0 ? block : TryAllocate(0, (nuint)SmallBlocks.Round((int)size));
    }

    private nint Resize(nint block, int old, nuint size)
    {
        if (size <= SmallBlocks.BytesMax && SmallBlocks.Round(old) == SmallBlocks.Round((int)size))
            return block;
        nint result = Take(size);
        if (result == 0)
            return size < (nuint)old ? block : 0; // To shrink never fails.
        SmallBlocks.Copy(block, result, (int)Math.Min((nuint)old, size));
        _small.GiveBack(block, old);
        return result;
    }
}
