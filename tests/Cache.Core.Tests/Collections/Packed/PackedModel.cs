using Cache.Core.Collections.Packed;

namespace Cache.Core.Tests.Collections.Packed;

/// <summary>The entries of a packed collection as a plain list, and what they must look like when packed.</summary>
internal sealed class PackedModel(PackedShape shape)
{
    public List<(byte[] Name, byte[] Value)> Entries { get; } = [];

    /// <summary>The bytes that the entries need, by the drawing and not by the editor.</summary>
    public int Length => PackedTable.HeaderSize + Entries.Sum(
        entry => shape.Columns + SizeOf(entry.Name) + (shape.HasValues ? SizeOf(entry.Value) : 0));

    public int IndexOf(ReadOnlySpan<byte> name)
    {
        for (int i = 0; i < Entries.Count; i++)
        {
            if (name.SequenceEqual(Entries[i].Name))
                return i;
        }

        return -1;
    }

    public void AssertSame(in PackedTable table)
    {
        Assert.Equal(Entries.Count, table.Count);
        var place = PackedTable.BeforeFirst;
        foreach (var (name, value) in Entries)
        {
            Assert.True(table.TryMoveNext(ref place));
            Assert.Equal(name, table.NameAt(place));
            Assert.Equal(value, table.ValueAt(place));
            Assert.True(table.TryGetAt(place.Index, out var again));
            Assert.Equal((place.Start, place.End), (again.Start, again.End));
            if (!shape.HasPrints)
                continue;
            Assert.True(table.TryFind(name, PackedPrint.Of(name), out var found));
            Assert.Equal(place.Index, found.Index);
            Assert.Equal(place.Start, found.Start);
        }

        Assert.False(table.TryMoveNext(ref place));
    }

    private static int SizeOf(byte[] text) => text.Length < 255 ? text.Length : text.Length + 2;
}
