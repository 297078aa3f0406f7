using Cache.Core.Collections.Packed;
using Cache.Testing;

namespace Cache.Core.Tests.Collections.Packed;

public sealed class PackedEditorTests
{
    private const int Changes = 600;

    private static readonly PackedShape[] _shapes =
        [PackedShape.Hash, PackedShape.Set, PackedShape.List];

    [Fact]
    public void AnyChanges_OfEachShape_AreThoseOfAListOfEntries() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        foreach (var shape in _shapes)
            ChangeAtRandom(random, shape);
    });

    [Fact]
    public void TryAdd_BeyondTheLongest_ChangesNothing()
    {
        var editor = new PackedEditor(PackedShape.Hash, new byte[PackedEditor.MemorySize]);
        Assert.True(editor.TryRead([]));
        Assert.True(editor.TryAdd("f"u8, new byte[PackedTable.LengthMax - 2 - 3 - 1 - 2]));
        Assert.Equal(PackedTable.LengthMax, editor.Length);

        Assert.False(editor.TryAdd(""u8, []));
        Assert.True(editor.Table.TryGetAt(0, out var place));
        Assert.False(editor.TrySetValue(place, new byte[PackedTable.LengthMax]));

        Assert.Equal((1, PackedTable.LengthMax), (editor.Count, editor.Length));
    }

    [Fact]
    public void TryAdd_OfTheShortestElements_StopsAtTheMostEntries()
    {
        var editor = new PackedEditor(PackedShape.List, new byte[PackedEditor.MemorySize]);
        while (editor.TryAdd([], []))
            Assert.InRange(editor.Count, 1, PackedTable.CountMax);

        Assert.Equal(PackedTable.CountMax, editor.Count);
    }

    [Fact]
    public void TryRead_OfNoCollection_Refuses()
    {
        var editor = new PackedEditor(PackedShape.Hash, new byte[PackedEditor.MemorySize]);

        Assert.False(editor.TryRead([1]));
        Assert.False(editor.TryRead([1, 0, 0]));
        Assert.False(editor.TryRead(new byte[PackedTable.LengthMax + 1]));
    }

    [Fact]
    public void WriteTo_AHash_IsAsDrawn()
    {
        var editor = new PackedEditor(PackedShape.Hash, new byte[PackedEditor.MemorySize]);
        Assert.True(editor.TryRead([]));
        editor.TryAdd("one"u8, "1"u8);
        editor.TryAdd("field"u8, "value"u8);
        byte[] packed = new byte[editor.Length];

        editor.WriteTo(packed);

        // The prints lie in files: they may never change.
        byte[] head = [2, 0, PackedPrint.Of("one"u8), PackedPrint.Of("field"u8), 3, 5, 1, 5];
        Assert.Equal([.. head, .. "one1fieldvalue"u8], packed);
        Assert.Equal([223, 110], packed[2..4]);
    }

    private static void ChangeAtRandom(Random random, PackedShape shape)
    {
        var model = new PackedModel(shape);
        byte[] memory = new byte[PackedEditor.MemorySize];
        byte[] packed = [];
        for (int i = 0; i < Changes; i++)
        {
            var editor = new PackedEditor(shape, memory);
            random.NextBytes(memory); // What earlier ones left there means nothing.
            Assert.True(editor.TryRead(packed));
            Change(random, shape, ref editor, model);
            Assert.Equal(model.Length, model.Entries.Count == 0 ? PackedTable.HeaderSize : editor.Length);
            packed = new byte[editor.Length];
            editor.WriteTo(packed);
            Assert.True(PackedTable.TryOpen(packed, shape, out var table));
            model.AssertSame(table);
            AssertIsWhole(shape, packed, model.Entries.Count);
        }
    }

    private static void AssertIsWhole(PackedShape shape, byte[] packed, int count)
    {
        var kind = !shape.HasPrints ? EntryKind.List : shape.HasValues ? EntryKind.Hash : EntryKind.Set;
        Assert.Equal(count > 0, PackedCheck.IsWhole(kind, packed));
        Assert.False(PackedCheck.IsWhole(kind, [.. packed, 0]));
    }

    private static void Change(Random random, PackedShape shape, ref PackedEditor editor, PackedModel model)
    {
        byte[] name = Text(random);
        byte[] value = shape.HasValues ? Text(random) : [];
        int index = shape.HasPrints ? model.IndexOf(name) : random.Next(model.Entries.Count + 1);
        bool isPresent = index >= 0 && index < model.Entries.Count && (shape.HasPrints || random.Next(2) == 0);
        var place = default(PackedPlace);
        Assert.Equal(isPresent, isPresent && editor.Table.TryGetAt(index, out place));
        if (!isPresent)
        {
            int at = shape.HasPrints ? random.Next(model.Entries.Count + 1) : index;
            int start = at == 0 ? 0 : End(editor.Table, at - 1);
            if (editor.TryInsert(at, start, name, value))
                model.Entries.Insert(at, (name, value));
        }
        else if (random.Next(3) == 0)
        {
            editor.Remove(place);
            model.Entries.RemoveAt(index);
        }
        else if (shape.HasValues
            ? editor.TrySetValue(place, value)
            : !shape.HasPrints && editor.TrySetName(place, name))
        {
            model.Entries[index] = (name, value);
        }
    }

    private static int End(in PackedTable table, int index)
    {
        Assert.True(table.TryGetAt(index, out var place));
        return place.End;
    }

    // Few names, so that most are there again; some as long as the mark of long ones, and around it.
    private static byte[] Text(Random random)
    {
        int length = random.Next(20) == 0 ? random.Next(250, 300) : random.Next(5);
        byte[] text = new byte[length];
        Array.Fill(text, (byte)random.Next('a', 'h'));
        return text;
    }
}
