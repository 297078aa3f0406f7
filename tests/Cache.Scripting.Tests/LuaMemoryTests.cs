using System.Runtime.InteropServices;
using Cache.Scripting.Native;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>The memory of an interpreter, as the native library asks for it.</summary>
public sealed class LuaMemoryTests
{
    private const nuint OfText = 4; // Without a block the old size says what for.

    [Fact]
    public void Allocator_RandomCalls_KeepsWhatBlocksHold() => RandomSeed.Run(this, seed =>
    {
        using var memory = new LuaMemory(long.MaxValue);
        var random = new Random(seed);
        var blocks = new List<(nint Address, int Size, byte Fill)>();
        long used = 0;

        // More than the range for small ones has.
        int countMax = random.Next(2) == 0 ? 100 : 60_000;
        for (int i = 0; i < 200_000; i++)
        {
            bool isNew = blocks.Count == 0 || (blocks.Count < countMax && random.Next(3) > 0);
            int size = random.Next(20) == 0 ? random.Next(1, 2000) : random.Next(1, SmallBlocks.BytesMax + 40);
            if (isNew)
            {
                Add(memory.Allocator(0, 0, OfText, (nuint)size), size);
                continue;
            }

            int index = random.Next(blocks.Count);
            var (address, before, fill) = blocks[index];
            blocks[index] = blocks[^1];
            blocks.RemoveAt(blocks.Count - 1);
            bool isResized = random.Next(2) == 0;
            AssertHolds(address, isResized ? Math.Min(before, size) : before, fill);
            nint result = memory.Allocator(0, address, (nuint)before, isResized ? (nuint)size : 0);
            used -= before;
            if (!isResized)
            {
                Assert.Equal(0, result);
                continue;
            }

            AssertHolds(result, Math.Min(before, size), fill);
            Add(result, size);
        }

        foreach (var (address, size, fill) in blocks)
        {
            AssertHolds(address, size, fill);
            memory.Allocator(0, address, (nuint)size, 0);
        }

        Assert.Equal(0, memory.Used);

        void Add(nint address, int size)
        {
            Assert.NotEqual(0, address);
            Assert.Equal(0, address % 16);
            byte fill = (byte)random.Next(256);
            for (int i = 0; i < size; i++)
                Marshal.WriteByte(address, i, fill);
            blocks.Add((address, size, fill));
            used += size;
            Assert.Equal(used, memory.Used);
        }
    });

    [Fact]
    public void Allocator_BehindTheLimit_RefusesWhatAScriptAsksFor_AndShrinks()
    {
        using var memory = new LuaMemory(max: 1000) { IsManaged = false };
        nint small = memory.Allocator(0, 0, OfText, 200);
        nint large = memory.Allocator(0, 0, OfText, 800);
        Assert.True(small != 0 && large != 0);

        Assert.Equal(0, memory.Allocator(0, 0, OfText, 1));
        Assert.Equal(0, memory.Allocator(0, small, 200, 208));
        Assert.NotEqual(0, memory.Allocator(0, small, 200, 100));
        Assert.Equal(900, memory.Used);
    }

    private static void AssertHolds(nint address, int size, byte fill)
    {
        for (int i = 0; i < size; i++)
        {
            if (Marshal.ReadByte(address, i) != fill)
                Assert.Fail($"Byte {i} of a block of {size} is {Marshal.ReadByte(address, i)} and not {fill}.");
        }
    }
}
