using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Makes changes of elements in the trees of an object: all of them, or none.</summary>
/// <remarks>
/// The caller holds the object. Where a page is refused, what was made is undone; that may overdraw the budget.
/// </remarks>
internal ref struct ElementWriter(ObjectHeap heap, ref ObjectInfo info, uint number)
{
    // Of a former value: what it was, its length, and when it would have expired.
    private const int FormerHeaderSize = 1 + sizeof(int) + sizeof(long);

    private readonly ref ObjectInfo _info = ref info;

    public int Added { get; private set; }

    public int Removed { get; private set; }

    /// <summary>Whether anything was changed.</summary>
    public readonly bool IsChanged => _isChanged;

    private bool _isChanged;

    /// <returns>False if there was no page for one of them: nothing is changed.</returns>
    public bool TryMake(ReadOnlySpan<byte> changes, int count)
    {
        if (_info.Kind == EntryKind.List)
            return TryMakeList(changes);
        if (count == 1)
        {
            var one = new ElementReader(changes);
            one.TryRead();
            return TryMake(one);
        }

        byte[] former = ArrayPool<byte>.Shared.Rent(count * (TreeEntry.LengthMax + FormerHeaderSize));
        try
        {
            return TryMakeAll(changes, former);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(former);
        }
    }

    /// <summary>Makes one.</summary>
    public bool TryMake(in ElementReader element) =>
        TryMake(element.Action, element.Name, element.Value, element.IsStub);

    /// <summary>Makes one.</summary>
    public bool TryMake(
        ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isStub = false)
    {
        Debug.Assert(ElementSizes.Fits((long)name.Length + value.Length) || action == ElementAction.Expire);
        if (_info.Kind == EntryKind.List)
            return TryMakeInList(action, new ListChange(name, value), isStub);
        var change = _info.Kind == EntryKind.Hash
            ? MakeField(action, name, value, isStub, moment: 0)
            : Make(action, name, value, isStub);
        Added += change == TreeChange.Added ? 1 : 0;
        Removed += change == TreeChange.Removed ? 1 : 0;
        _isChanged |= change is not (TreeChange.None or TreeChange.NoRoom);
        return change != TreeChange.NoRoom;
    }

    private bool TryMakeList(ReadOnlySpan<byte> changes)
    {
        var writer = new ListWriter(heap, ref _info, number);
        bool isMade = writer.TryMake(changes);
        (Added, Removed, _isChanged) = (Added + writer.Added, Removed + writer.Removed, writer.IsChanged);
        return isMade;
    }

    private bool TryMakeInList(ElementAction action, in ListChange change, bool isStub)
    {
        var writer = new ListWriter(heap, ref _info, number);
        bool isMade = writer.TryMake(action, change, isStub);
        (Added, Removed, _isChanged) = (Added + writer.Added, Removed + writer.Removed, writer.IsChanged);
        return isMade;
    }

    private bool TryMakeAll(ReadOnlySpan<byte> changes, Span<byte> former)
    {
        var reader = new ElementReader(changes);
        int made = 0, length = 0;
        while (reader.TryRead())
        {
            int before = KeepFormer(reader.Name, former[length..]);
            if (!TryMake(reader))
            {
                ForgetFormer(former.Slice(length, before));
                Undo(changes, former, made);
                return false;
            }

            length += before;
            made++;
        }

        for (int at = 0; at < length; at += FormerHeaderSize + FormerLength(former[at..]))
            ForgetFormer(former[at..]);
        return true;
    }

    // What a kind has of its own: how a change is made in its trees. Without a page for it, nothing is changed.
    private TreeChange Make(
        ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isStub) =>
        _info.Kind switch
        {
            EntryKind.Set => MakeMember(action, name),
            EntryKind.SortedSet => MakeScored(action, name, value),
            EntryKind.Stream => MakeOfStream(action, name, value, isStub),
            _ => throw new NotSupportedException("A list has a writer of its own."),
        };

    private readonly TreeChange MakeMember(ElementAction action, ReadOnlySpan<byte> name)
    {
        var writer = new TreeWriter<ByHash>(heap.Pages, ref _info.First, ref _info.Epochs, number);
        uint hash = heap.HashOf(name);
        return action == ElementAction.Put
            ? writer.Set(hash, new TreeEntry(name, default))
            : writer.Remove(hash, name);
    }

    private TreeChange MakeField(
        ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isStub, long moment)
    {
        var writer = new FieldWriter(heap, ref _info, number);
        var change = action switch
        {
            ElementAction.Put => writer.Put(name, value, isStub, moment),
            ElementAction.Expire => writer.Expire(name, BinaryPrimitives.ReadInt64LittleEndian(value)),
            _ => writer.Drop(name),
        };
        _isChanged |= writer.IsRestored; // Readers may have been between: another version.
        return change;
    }

    private static int FormerLength(ReadOnlySpan<byte> former) => BitConverter.ToInt32(former[1..]);

    // A reference was taken for what may be made again.
    private readonly void ForgetFormer(ReadOnlySpan<byte> former)
    {
        if ((former[0] & ElementReader.StubFlag) != 0)
            heap.LongElements.Release(former.Slice(FormerHeaderSize, FormerLength(former)));
    }

    private TreeChange MakeScored(ElementAction action, ReadOnlySpan<byte> member, ReadOnlySpan<byte> score)
    {
        var writer = new ScoredWriter(heap, ref _info, number);
        var change = action == ElementAction.Put ? writer.Put(member, score) : writer.Drop(member);
        _isChanged |= writer.IsRestored; // Readers may have been between: another version.
        return change;
    }

    private TreeChange MakeOfStream(
        ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isStub)
    {
        var writer = new StreamTreeWriter(heap, ref _info, number);
        var change = action == ElementAction.Put ? writer.Put(name, value, isStub) : writer.Drop(name);
        _isChanged |= writer.IsRestored; // Readers may have been between: another version.
        return change;
    }

    // What an element was, to be made again. Of one that was not there: nothing, which is removed then.
    private readonly int KeepFormer(ReadOnlySpan<byte> name, Span<byte> at)
    {
        bool exists = heap.ViewOf(_info).TryFindName(name, out var entry);
        at[0] = exists ? (byte)ElementAction.Put : (byte)ElementAction.Drop;
        int length = exists ? entry.Value.Length : 0;
        BitConverter.TryWriteBytes(at[1..], length);
        BitConverter.TryWriteBytes(at[(1 + sizeof(int))..], exists ? entry.Moment : 0);
        if (exists)
            entry.Value.CopyTo(at[FormerHeaderSize..]);
        if (exists && entry.IsValueStub)
        {
            at[0] |= ElementReader.StubFlag;
            heap.LongElements.AddReference(entry.Value);
        }

        return FormerHeaderSize + length;
    }

    // From the last one back, since one element may have been changed twice.
    private void Undo(ReadOnlySpan<byte> changes, ReadOnlySpan<byte> former, int count)
    {
        bool before = ObjectHeap.BeginOverdraft();
        try
        {
            for (int last = count - 1; last >= 0; last--)
                UndoOne(changes, former, last);
        }
        finally
        {
            ObjectHeap.EndOverdraft(before);
        }

        (Added, Removed, _isChanged) = (0, 0, true); // Readers may have been between: another version.
    }

    private void UndoOne(ReadOnlySpan<byte> changes, ReadOnlySpan<byte> former, int index)
    {
        var reader = new ElementReader(changes);
        int at = 0;
        for (int i = 0; reader.TryRead() && i < index; i++)
            at += FormerHeaderSize + FormerLength(former[at..]);
        var value = former.Slice(at + FormerHeaderSize, FormerLength(former[at..]));
        bool wasStub = (former[at] & ElementReader.StubFlag) != 0;
        var action = (ElementAction)(former[at] & ~ElementReader.StubFlag);
        var change = _info.Kind == EntryKind.Hash
            ? MakeField(action, reader.Name, value, wasStub, BitConverter.ToInt64(former[(at + 1 + sizeof(int))..]))
            : Make(action, reader.Name, value, wasStub);
        ForgetFormer(former[at..]);
        if (change == TreeChange.NoRoom)
            ThrowNotUndone();
    }

    internal static void ThrowNotUndone() =>
        throw new InvalidOperationException("A write cannot be undone: there are no addresses for its pages.");
}
