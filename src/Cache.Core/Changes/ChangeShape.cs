using Cache.Core.Layout;

namespace Cache.Core.Changes;

/// <summary>The change that a write will make to a locked entry, as listeners are told of it.</summary>
/// <remarks>
/// A patched value with its own block is passed as that block. A patch of an absent key is a set of the whole value,
/// since an evicted entry may still be in older records.
/// </remarks>
internal readonly record struct ChangeShape(ChangeKind Kind, int Offset, int Length, LargeBlock Block)
{
    /// <summary>The kind of the value that is written; meaningless for a change without one.</summary>
    public EntryKind EntryKind { get; init; } = EntryKind.String;

    /// <summary>Whether the block is one of long elements: what is told of them is its end.</summary>
    public bool IsOfElements { get; init; }

    /// <summary>
    /// Whether there was no journal when elements were planned, so that none can be told of them: if there is one by
    /// now, the write begins again.
    /// </summary>
    public bool IsUntold { get; init; }

    /// <summary>
    /// A change that listeners are not told of: the same value in another form, or a renewed sliding expiry.
    /// </summary>
    public static ChangeShape None => new(ChangeKind.None, 0, 0, default);

    public static ChangeShape Removal => new(ChangeKind.Remove, 0, 0, default);

    public static ChangeShape Expiry => new(ChangeKind.Expire, 0, 0, default);

    public static ChangeShape Set(int length) => new(ChangeKind.Set, 0, length, default);

    public static ChangeShape Set(LargeBlock block) => new(ChangeKind.Set, 0, block.Length, block);

    /// <summary>Elements of a collection that has others too.</summary>
    public static ChangeShape Elements(int length) => new(ChangeKind.Elements, 0, length, default);

    /// <summary>A part of a value; of an absent one, all of it.</summary>
    public static ChangeShape PatchOf(bool exists, int offset, int length, int end, LargeBlock block = default) =>
        exists ? new(ChangeKind.Patch, offset, length, block) : new(ChangeKind.Set, 0, end, block);
}
