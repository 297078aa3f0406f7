using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>The blocks of values that are too long for the pages of trees. Thread-safe.</summary>
/// <remarks>
/// <code>
///  │ 0 0 │ the element as files have it: header │ name │ value │
/// </code>
/// So the block of a write's only element is also what a journal gets of it. A block is never changed once a tree has
/// it. Each stub in a page has a reference, and each thread that reads the value: it takes one while it holds the
/// object, or has a snapshot and holds the object, which the disposal cannot have ended then.
/// </remarks>
/// <param name="heap">The memory.</param>
/// <param name="budget">Pays for it.</param>
/// <param name="keepWithinLimit">Gives memory of other things back to the system, as much as is taken.</param>
internal sealed class LongElements(PageHeap heap, SlabBudget budget, Action<long> keepWithinLimit) : StubOwner
{
    // Of blocks that no tree has yet, of the thread.
    [ThreadStatic]
    private static long _ownedOfThread;

    private long _bytes;
    private long _owned;
    private long _loans;

    /// <summary>What all blocks count against the limit.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Of these, the blocks that writers have made, and are about to give to trees.</summary>
    public long OwnedBytes => Interlocked.Read(ref _owned);

    /// <summary>Of these, the thread's.</summary>
    public static long OwnedBytesOfThread => _ownedOfThread;

    /// <summary>References of readers and journals: what they have stays when its collection goes.</summary>
    public long Loans => Interlocked.Read(ref _loans);

    /// <summary>What a block of so many bytes counts.</summary>
    public long BytesFor(int length) => LargeBlock.SizeOf(length, heap);

    /// <summary>What the block of an element's value counts; 0 if it is not long.</summary>
    public long BytesOf(in ElementReader element) =>
        element.Action == ElementAction.Expire || ElementSizes.Fits(element.Name.Length, element.Value.Length)
            ? 0
            : BytesFor(ElementReader.PrefixSize + element.Element.Length);

    /// <summary>Makes a block with one reference, its bytes undefined; waits for nothing.</summary>
    /// <returns>False if the budget, or the system, has no room.</returns>
    public bool TryCreate(int length, out LargeBlock block)
    {
        block = default;
        long bytes = BytesFor(length);
        if (!budget.TryTake(bytes, false))
            return false;
        keepWithinLimit(bytes);
        if (!LargeBlock.TryCreate(length, length, heap, out block))
        {
            budget.Give(bytes);
            return false;
        }

        Interlocked.Add(ref _bytes, bytes);
        Interlocked.Add(ref _owned, bytes);
        _ownedOfThread += bytes;
        return true;
    }

    /// <summary>Drops the reference of the writer that has made a block; trees may have others.</summary>
    public void Disown(LargeBlock block)
    {
        long bytes = block.SizeBytes;
        Release(block);
        Interlocked.Add(ref _owned, -bytes);
        _ownedOfThread -= bytes;
    }

    /// <summary>The same, with an element in it.</summary>
    public bool TryCreate(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, out ElementStub stub)
    {
        stub = default;
        if (!TryCreate(ElementReader.PrefixSize + ElementReader.SizeOf(name.Length, value.Length), out var block))
            return false;
        block.Value[..ElementReader.PrefixSize].Clear();
        ElementChanges.Write(block.Value[ElementReader.PrefixSize..], ElementAction.Put, name, value);
        stub = new ElementStub(block, value.Length);
        return true;
    }

    public override void AddReference(ReadOnlySpan<byte> stub) => ElementStub.Read(stub).Block.AddReference();

    public override void Release(ReadOnlySpan<byte> stub) => Release(ElementStub.Read(stub).Block);

    public override long SizeOf(ReadOnlySpan<byte> stub) => ElementStub.Read(stub).Block.SizeBytes;

    /// <summary>Takes a reference for each stub of an element.</summary>
    public void AddReferences(scoped in TreeEntry entry)
    {
        if (entry.IsNameStub)
            AddReference(ElementStub.EndOf(entry.Name));
        if (entry.IsValueStub)
            AddReference(entry.Value);
    }

    /// <summary>Drops them.</summary>
    public void ReleaseAll(scoped in TreeEntry entry)
    {
        if (entry.IsNameStub)
            Release(ElementStub.EndOf(entry.Name));
        if (entry.IsValueStub)
            Release(entry.Value);
    }

    /// <summary>Drops a reference.</summary>
    public void Release(LargeBlock block)
    {
        long bytes = block.Release(heap);
        if (bytes == 0)
            return;
        long left = Interlocked.Add(ref _bytes, -bytes);
        Debug.Assert(left >= 0, "Only blocks that count are released.");
        budget.Give(bytes);
    }

    /// <summary>Takes a reference for a read; the caller holds the object.</summary>
    public ElementLoan Lend(ElementStub stub)
    {
        Interlocked.Increment(ref _loans); // First: without it, an audit must not miss the bytes.
        stub.Block.AddReference();
        return new ElementLoan(this, stub);
    }

    /// <summary>Takes a reference for a journal.</summary>
    public void Lend(LargeBlock block)
    {
        Interlocked.Increment(ref _loans);
        block.AddReference();
    }

    /// <summary>Takes back what was lent.</summary>
    public void Return(LargeBlock block)
    {
        Release(block);
        Interlocked.Decrement(ref _loans); // Last: what is released counts no more.
    }
}

/// <summary>A reference to a long value or name, for a read that holds nothing else; dispose it.</summary>
internal readonly ref struct ElementLoan(LongElements owner, ElementStub stub)
{
    public ReadOnlySpan<byte> Value => stub.Value;

    /// <summary>Of the stub of a name: the name.</summary>
    public ReadOnlySpan<byte> Name => LongName.NameOf(stub.Block);

    public void Dispose() => owner.Return(stub.Block);
}
