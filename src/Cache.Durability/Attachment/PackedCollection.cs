using System.Diagnostics;
using Cache.Core;
using Cache.Core.Collections.Packed;

namespace Cache.Durability.Attachment;

/// <summary>Makes the form that a small hash or list has in a record, from its elements.</summary>
/// <remarks>One thread at a time.</remarks>
internal sealed class PackedCollection
{
    /// <summary>The most bytes of a collection, and the most elements.</summary>
    public const int LengthMax = PackedTable.LengthMax;
    public const int CountMax = PackedTable.CountMax;

    private readonly byte[] _memory = new byte[PackedEditor.MemorySize];
    private readonly byte[] _packed = new byte[LengthMax];

    /// <summary>The bytes, from the start of the array on.</summary>
    public byte[] Bytes => _packed;

    public int Length { get; private set; }

    /// <summary>A step of making one.</summary>
    public enum Step
    {
        Done,

        /// <summary>It is longer than a record's.</summary>
        TooLong,

        /// <summary>It has the same field twice.</summary>
        Twice,
    }

    /// <summary>Makes one of a kind from all of its names, with their values.</summary>
    /// <param name="type">The kind, as files number it.</param>
    /// <param name="count">The number of names.</param>
    /// <param name="elements">The names and values.</param>
    public Step Make<TElements>(byte type, int count, TElements elements)
        where TElements : struct, IPackedElements, allows ref struct
    {
        var kind = StoredType.KindOf(type);
        bool hasShape = PackedCheck.TryGetShape(kind, out var shape);
        Debug.Assert(hasShape && kind is EntryKind.Hash or EntryKind.List, "Sets have an order of their own.");
        var editor = new PackedEditor(shape, _memory);
        editor.TryRead(default);
        for (int i = 0; i < count; i++)
        {
            var name = elements.NameAt(i);
            if (shape.HasPrints && editor.Table.TryFind(name, PackedPrint.Of(name), out _))
                return Step.Twice;
            if (!editor.TryAdd(name, shape.HasValues ? elements.ValueAt(i) : default))
                return Step.TooLong;
        }

        Length = editor.Length;
        editor.WriteTo(_packed.AsSpan(0, Length));
        Debug.Assert(PackedCheck.IsWhole(kind, _packed.AsSpan(0, Length)));
        return Step.Done;
    }
}
