using Cache.Core.Collections.Packed;
using Cache.Testing;

namespace Cache.Core.Tests.Collections.Packed;

/// <summary>A packed collection whose bytes belong to no one writer: nothing throws, and everything ends.</summary>
public sealed class PackedTableTests
{
    private static readonly EntryKind[] _kinds =
        [EntryKind.Hash, EntryKind.Set, EntryKind.SortedSet, EntryKind.List];

    [Fact]
    public void AnyBytes_OfAnyLength_NeitherThrowNorLoop() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 3_000; i++)
        {
            byte[] bytes = new byte[random.Next(random.Next(2) == 0 ? 32 : 600)];
            random.NextBytes(bytes);
            if (bytes.Length > 2 && random.Next(4) != 0)
                (bytes[0], bytes[1]) = ((byte)random.Next(24), 0); // A count that fits.
            ReadAll(bytes, random);
        }
    });

    [Fact]
    public void TornBytes_OfTwoStates_NeitherThrowNorLoop() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 1_000; i++)
        {
            byte[] before = Packed(random, random.Next(1, 40));
            byte[] after = Packed(random, random.Next(1, 40));
            byte[] torn = new byte[random.Next(2) == 0 ? before.Length : after.Length];
            int cut = random.Next(torn.Length);
            before.AsSpan(0, Math.Min(cut, before.Length)).CopyTo(torn);
            if (cut < after.Length)
                after.AsSpan(cut, Math.Min(after.Length, torn.Length) - cut).CopyTo(torn.AsSpan(cut));
            ReadAll(torn, random);
        }
    });

    [Fact]
    public void IsWhole_AfterAnyChangedBit_TellsOrTheEntriesCanBeReadAnyway() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        byte[] packed = Packed(random, 30);
        Assert.True(PackedCheck.IsWhole(EntryKind.Hash, packed));
        for (int i = 0; i < packed.Length * 8; i++)
        {
            packed[i / 8] ^= (byte)(1 << (i % 8));
            if (PackedCheck.IsWhole(EntryKind.Hash, packed))
                AssertEachIsFound(packed);
            packed[i / 8] ^= (byte)(1 << (i % 8));
        }
    });

    [Fact]
    public void IsWhole_OfWhatIsNone_IsFalse()
    {
        Assert.False(PackedCheck.IsWhole(EntryKind.Hash, []));
        Assert.False(PackedCheck.IsWhole(EntryKind.Hash, [0, 0])); // An empty one is no entry.
        Assert.False(PackedCheck.IsWhole(EntryKind.Stream, [1, 0, 0]));
        Assert.True(PackedCheck.IsWhole(EntryKind.List, [1, 0, 0]));
        Assert.True(PackedCheck.IsWhole(EntryKind.List, [1, 0x80, 0]));
        Assert.False(PackedCheck.IsWhole(EntryKind.List, [1, 0x10, 0])); // A flag that is none.
        Assert.False(PackedCheck.IsWhole(EntryKind.List, [1, 0, 255, 3, 0, 1, 2, 3])); // Not long.
        byte[] twice = [2, 0, PackedPrint.Of("a"u8), PackedPrint.Of("a"u8), 1, 1, .. "aa"u8];
        Assert.False(PackedCheck.IsWhole(EntryKind.Set, twice));
    }

    [Fact]
    public void IsWhole_OfASortedSet_NeedsItsOrder()
    {
        static byte[] Pair(ReadOnlySpan<byte> first, byte score, ReadOnlySpan<byte> second, byte other) =>
        [
            2, 0, PackedPrint.Of(first), PackedPrint.Of(second), (byte)first.Length, (byte)second.Length, 1, 1,
            .. first, score, .. second, other,
        ];

        Assert.True(PackedCheck.IsWhole(EntryKind.SortedSet, Pair("b"u8, 1, "a"u8, 2)));
        Assert.True(PackedCheck.IsWhole(EntryKind.SortedSet, Pair("a"u8, 1, "b"u8, 1)));
        Assert.False(PackedCheck.IsWhole(EntryKind.SortedSet, Pair("b"u8, 1, "a"u8, 1)));
        Assert.False(PackedCheck.IsWhole(EntryKind.SortedSet, Pair("a"u8, 2, "b"u8, 1)));
        Assert.False(PackedCheck.IsWhole(EntryKind.SortedSet, Pair("a"u8, 0, "b"u8, 1))); // A score of 0 has no bytes.
    }

    private static void AssertEachIsFound(byte[] packed)
    {
        Assert.True(PackedTable.TryOpen(packed, PackedShape.Hash, out var table));
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
        {
            var name = table.NameAt(place);
            Assert.True(table.TryFind(name, PackedPrint.Of(name), out var found));
            Assert.Equal(place.Index, found.Index);
        }
    }

    private static byte[] Packed(Random random, int count)
    {
        var editor = new PackedEditor(PackedShape.Hash, new byte[PackedEditor.MemorySize]);
        for (int i = 0; i < count; i++)
        {
            byte[] name = BitConverter.GetBytes(i);
            byte[] value = new byte[random.Next(12) == 0 ? random.Next(250, 262) : random.Next(30)];
            random.NextBytes(value);
            Assert.True(editor.TryAdd(name, value));
        }

        byte[] packed = new byte[editor.Length];
        editor.WriteTo(packed);
        return packed;
    }

    private static void ReadAll(byte[] bytes, Random random)
    {
        byte[] memory = new byte[PackedEditor.MemorySize];
        foreach (var kind in _kinds)
        {
            PackedCheck.IsWhole(kind, bytes);
            Assert.True(PackedCheck.TryGetShape(kind, out var shape));
            new PackedEditor(shape, memory).TryRead(bytes);
            if (!PackedTable.TryOpen(bytes, shape, out var table))
                continue;
            int steps = 0;
            for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place); steps++)
                _ = table.NameAt(place).Length + table.ValueAt(place).Length;
            Assert.InRange(steps, 0, table.Count);
            table.TryGetAt(random.Next(-2, 60), out _);
            if (!shape.HasPrints || table.Count == 0)
                continue;
            byte print = table.Prints[random.Next(table.Count)];
            table.TryFind(new byte[table.Lengths[random.Next(table.Count)]], print, out _);
        }
    }
}
