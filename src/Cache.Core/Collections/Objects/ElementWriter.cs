using System.Buffers;
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
    private readonly ref ObjectInfo _info = ref info;

    public int Added { get; private set; }

    public int Removed { get; private set; }

    /// <summary>Whether anything was changed.</summary>
    public readonly bool IsChanged => _isChanged;

    private bool _isChanged;

    /// <summary>Whether an element of so many bytes can lie in the pages of a tree.</summary>
    public static bool Fits(long bytes) => bytes <= TreeEntry.LengthMax;

    /// <returns>False if there was no page for one of them: nothing is changed.</returns>
    public bool TryMake(ReadOnlySpan<byte> changes, int count)
    {
        if (count == 1)
        {
            var one = new ElementReader(changes);
            one.TryRead();
            return TryMake(one);
        }

        byte[] former = ArrayPool<byte>.Shared.Rent(count * (TreeEntry.LengthMax + 1 + sizeof(int)));
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
    public bool TryMake(in ElementReader element) => TryMake(element.Action, element.Name, element.Value);

    /// <summary>Makes one.</summary>
    public bool TryMake(ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        Debug.Assert(Fits((long)name.Length + value.Length));
        var change = Make(action, name, value);
        Added += change == TreeChange.Added ? 1 : 0;
        Removed += change == TreeChange.Removed ? 1 : 0;
        _isChanged |= change is not (TreeChange.None or TreeChange.NoRoom);
        return change != TreeChange.NoRoom;
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
                Undo(changes, former, made);
                return false;
            }

            length += before;
            made++;
        }

        return true;
    }

    // What a kind has of its own: how a change is made in its trees. Without a page for it, nothing is changed.
    private TreeChange Make(ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) =>
        _info.Kind switch
        {
            EntryKind.Hash => MakeNamed<ByHashWithValue>(action, name, value),
            EntryKind.Set => MakeNamed<ByHash>(action, name, value),
            EntryKind.SortedSet => MakeScored(action, name, value),
            _ => throw new NotSupportedException("Collections of this kind are packed."),
        };

    private readonly TreeChange MakeNamed<TOrder>(
        ElementAction action, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
        where TOrder : struct, ITreeOrder
    {
        var writer = new TreeWriter<TOrder>(heap.Pages, ref _info.First, ref _info.Epochs, number);
        uint hash = heap.HashOf(name);
        return action == ElementAction.Put
            ? writer.Set(hash, new TreeEntry(name, value))
            : writer.Remove(hash, name);
    }

    private TreeChange MakeScored(ElementAction action, ReadOnlySpan<byte> member, ReadOnlySpan<byte> score)
    {
        var writer = new ScoredWriter(heap, ref _info, number);
        var change = action == ElementAction.Put ? writer.Put(member, score) : writer.Drop(member);
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
        if (exists)
            entry.Value.CopyTo(at[(1 + sizeof(int))..]);
        return 1 + sizeof(int) + length;
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
            at += 1 + sizeof(int) + BitConverter.ToInt32(former[(at + 1)..]);
        var value = former.Slice(at + 1 + sizeof(int), BitConverter.ToInt32(former[(at + 1)..]));
        var change = Make((ElementAction)former[at], reader.Name, value);
        if (change == TreeChange.NoRoom)
            ThrowNotUndone();
    }

    internal static void ThrowNotUndone() =>
        throw new InvalidOperationException("A write cannot be undone: there are no addresses for its pages.");
}
