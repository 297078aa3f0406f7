using Cache.Core.Layout;

namespace Cache.Core.Changes;

/// <summary>What a write is about to do to the value of a locked entry, as listeners are told of it.</summary>
/// <remarks>
/// Of a patch, a value with a block of its own is that block; a value that had none before is set as a whole, since the
/// entry may be in older records though it was evicted.
/// </remarks>
internal readonly record struct ChangeShape(ChangeKind Kind, int Offset, int Length, LargeBlock Block)
{
    /// <summary>What the value is; of a change without one it means nothing.</summary>
    public EntryKind EntryKind { get; init; } = EntryKind.String;

    /// <summary>Nothing that is told: the same value in another form, or a sliding expiry that is renewed.</summary>
    public static ChangeShape None => default;

    public static ChangeShape Removal => new(ChangeKind.Remove, 0, 0, default);

    public static ChangeShape Expiry => new(ChangeKind.Expire, 0, 0, default);

    public static ChangeShape Set(int length) => new(ChangeKind.Set, 0, length, default);

    public static ChangeShape Set(LargeBlock block) => new(ChangeKind.Set, 0, block.Length, block);

    /// <summary>A part of a value; of one that is not there, all of it.</summary>
    public static ChangeShape PatchOf(bool exists, int offset, int length, int end, LargeBlock block = default) =>
        exists ? new(ChangeKind.Patch, offset, length, block) : new(ChangeKind.Set, 0, end, block);
}
