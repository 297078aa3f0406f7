using System.Diagnostics;
using Cache.Core;
using Cache.Core.Collections;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Sets;
using Cache.Core.Collections.SortedSets;

namespace Cache.Durability.Attachment;

/// <summary>Makes the form that a small collection has in a record, from its elements.</summary>
/// <remarks>One thread at a time.</remarks>
internal sealed class PackedCollection
{
    /// <summary>The most bytes of a collection, and the most elements.</summary>
    public const int LengthMax = PackedTable.LengthMax;
    public const int CountMax = PackedTable.CountMax;

    // What a server with other limits would say is not known.
    private static readonly EncodingLimits s_limits = new();

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

        /// <summary>It has the same field or member twice.</summary>
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
        Debug.Assert(hasShape, "A type of files has a packed form.");
        var editor = new PackedEditor(shape, _memory);
        editor.TryRead(default);
        if (kind == EntryKind.SortedSet && IsConverted(count, elements))
            editor.Flags |= PackedTable.ConvertedFlag; // Before the first member: what becomes of −0 depends on it.
        for (int i = 0; i < count; i++)
        {
            var name = elements.NameAt(i);
            if (shape.HasPrints && editor.Table.TryFind(name, PackedPrint.Of(name), out _))
                return Step.Twice;
            bool isAdded = kind switch
            {
                EntryKind.Hash => SetFieldEdit.Put(ref editor, name, place: null, elements.ValueAt(i), s_limits)
                    == WriteStatus.Done,
                EntryKind.Set => SetOrder.TryAdd(ref editor, name, s_limits.SetIntegers),
                EntryKind.SortedSet => SortedOrder.TryAdd(ref editor, name, elements.ScoreAt(i), s_limits),
                _ => editor.TryAdd(name, value: default),
            };
            if (!isAdded)
                return Step.TooLong;
        }

        Length = editor.Length;
        editor.WriteTo(_packed.AsSpan(0, Length));
        Debug.Assert(PackedCheck.IsWhole(kind, _packed.AsSpan(0, Length)));
        return Step.Done;
    }

    private static bool IsConverted<TElements>(int count, TElements elements)
        where TElements : struct, IPackedElements, allows ref struct
    {
        bool isConverted = count > s_limits.SortedSetMembers;
        for (int i = 0; i < count && !isConverted; i++)
            isConverted = elements.NameAt(i).Length > s_limits.SortedSetMemberLength;
        return isConverted;
    }
}
