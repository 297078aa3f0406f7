namespace Cache.Core.Layout;

/// <summary>What stubs of elements stand for, counted by references: each stub in a page of a tree has one.</summary>
/// <remarks>
/// Called by who holds the collection, or frees what nothing refers to, under no gate of the pages: it must not wait,
/// throw, or change a tree.
/// </remarks>
internal abstract class StubOwner
{
    /// <summary>Takes another reference, for a page that a snapshot keeps beside its copy.</summary>
    public abstract void AddReference(ReadOnlySpan<byte> stub);

    /// <summary>Drops the reference of a stub that is gone; the last one frees what it stands for.</summary>
    public abstract void Release(ReadOnlySpan<byte> stub);

    /// <summary>What counts against the limit.</summary>
    public abstract long SizeOf(ReadOnlySpan<byte> stub);
}
