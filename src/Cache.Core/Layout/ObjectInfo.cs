using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>A large collection: its version, and where its trees are.</summary>
/// <remarks>
/// <code>
///  0        4     5      6         8           12         16          32           48           64
///  │version │kind │state │accounted│generation │snapshots │ first tree│ second tree│   epochs   │
/// </code>
/// The version guards the trees and their epochs, as a bucket's guards its slots. It never goes back, whatever the
/// number is used for. The bytes that are accounted, in slabs, are guarded by the home of the collection's key.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = Size)]
internal struct ObjectInfo
{
    public const int Size = 64;

    /// <summary>See <see cref="ObjectTable"/>.</summary>
    [FieldOffset(0)]
    public uint Version;

    // Of the kind's byte: Redis would have given up its compact encoding.
    private const byte ConvertedFlag = 0x80;

    [FieldOffset(4)]
    private byte _kind;

    [FieldOffset(5)]
    public ObjectState State;

    /// <summary>The slabs that the segment of its key's record counts for it.</summary>
    [FieldOffset(6)]
    public ushort AccountedSlabs;

    /// <summary>Of the number: each collection has another one.</summary>
    [FieldOffset(8)]
    public uint Generation;

    /// <summary>The snapshots that have not ended.</summary>
    [FieldOffset(12)]
    public uint Snapshots;

    /// <summary>The tree; of a sorted set that by members.</summary>
    [FieldOffset(16)]
    public TreeRoot First;

    /// <summary>
    /// Of a sorted set: the tree by scores. Of a hash: the fields that expire, by their moments. Of a list no tree:
    /// <see cref="Marks"/>. Of an unused number: the page is the next unused one.
    /// </summary>
    [FieldOffset(32)]
    public TreeRoot Second;

    [FieldOffset(48)]
    public TreeEpochs Epochs;

    /// <summary>What the collection is.</summary>
    public EntryKind Kind
    {
        readonly get => (EntryKind)(_kind & ~ConvertedFlag);
        set => _kind = (byte)value;
    }

    /// <summary>Whether Redis would have given up its compact encoding; it never goes back to that.</summary>
    public bool IsConverted
    {
        readonly get => (_kind & ConvertedFlag) != 0;
        set => _kind = (byte)(value ? _kind | ConvertedFlag : _kind & ~ConvertedFlag);
    }

    /// <summary>Of a list: its marks, in the bytes of the second tree.</summary>
    public ListMarks Marks
    {
        readonly get => MarksOf(Second);
        set => Second = new TreeRoot
        {
            Page = (uint)value.Change,
            Count = (uint)(value.Change >> 32),
            PageBytes = value.Head,
        };
    }

    /// <summary>The bytes of its pages, and of what stubs stand for, without what only snapshots have.</summary>
    public readonly long PageBytes => BytesOf(Kind, First, Second);

    /// <summary>The marks in the place of a second tree.</summary>
    public static ListMarks MarksOf(in TreeRoot second) =>
        new(second.Page | ((ulong)second.Count << 32), second.PageBytes);

    /// <summary>What the trees of a collection count.</summary>
    public static long BytesOf(EntryKind kind, in TreeRoot first, in TreeRoot second) =>
        first.PageBytes + (kind == EntryKind.List ? 0 : second.PageBytes);
}

/// <summary>What a large list keeps in the place of a second tree; under its object's lock and version.</summary>
/// <param name="Change">
/// The number of its last change, which only grows: a journal's record has it too, and is made once.
/// </param>
/// <param name="Head">
/// Where its leftmost element is on a line without ends: one less with each push to the left, one more with each pop.
/// </param>
internal readonly record struct ListMarks(ulong Change, long Head);

/// <summary>What becomes of an object's number.</summary>
/// <remarks>
/// <code>
///  Unused ──► Used ──► Retired ──► Unused        made, removed, its last snapshot ended
///                └─────────────────┘             removed, without a snapshot
/// </code>
/// </remarks>
internal enum ObjectState : byte
{
    Unused,
    Used,
    Retired,
}

/// <summary>What the record of a key has instead of a large collection: its object's number and generation.</summary>
/// <remarks>A number is used again, with another generation: so an old stub finds nothing.</remarks>
internal readonly record struct ObjectStub(uint Number, uint Generation)
{
    public const int Length = 8;

    /// <summary>Whether there is no object: numbers begin at 1.</summary>
    public bool IsNone => Number == 0;

    public static ObjectStub Read(ReadOnlySpan<byte> bytes) => MemoryMarshal.Read<ObjectStub>(bytes);

    public void Write(Span<byte> bytes) => MemoryMarshal.Write(bytes, this);
}
