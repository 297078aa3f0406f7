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
    /// Of a sorted set: the tree by scores. Of a hash: the fields that expire, by their moments. Of an unused number:
    /// the page is the next unused one.
    /// </summary>
    [FieldOffset(32)]
    public TreeRoot Second;

    [FieldOffset(48)]
    public TreeEpochs Epochs;

    /// <summary>What the collection is.</summary>
    public EntryKind Kind
    {
        readonly get => (EntryKind)_kind;
        set => _kind = (byte)value;
    }

    /// <summary>The bytes of its pages, and of what stubs stand for, without what only snapshots have.</summary>
    public readonly long PageBytes => First.PageBytes + Second.PageBytes;
}

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
