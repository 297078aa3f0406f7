using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Changes the tree of a list: all changes of a write, or none.</summary>
/// <remarks>
/// The caller holds the object. Each change is some additions and removals at positions; what undoes each is noted
/// before it, and where a page is refused, all are undone, from the last one back, which may overdraw the budget.
/// <code>
///  noted │ former bytes │ their length 4 │ position 4 │ is stub 1 │ what was done 1 │
/// </code>
/// </remarks>
internal ref struct ListWriter(ObjectHeap heap, ref ObjectInfo info, uint number)
{
    private const int TailSize = sizeof(int) + sizeof(uint) + 2;
    private const int NoteSizeMax = TreeEntry.LengthMax + TailSize;

    private readonly ref ObjectInfo _info = ref info;

    // Empty: a single addition or removal, which changes nothing where it is refused.
    private Span<byte> _notes;
    private int _notesLength;

    public int Added { get; private set; }

    public int Removed { get; private set; }

    /// <summary>Whether anything was changed.</summary>
    public bool IsChanged { get; private set; }

    // What was done at a position.
    private enum Step : byte
    {
        Insert,
        Replace,
        Remove,
    }

    /// <returns>False if there was no page for one of them: nothing is changed.</returns>
    public bool TryMake(ReadOnlySpan<byte> changes)
    {
        int steps = StepsOf(changes);
        byte[]? notes = steps > 1 ? ArrayPool<byte>.Shared.Rent(steps * NoteSizeMax) : null;
        _notes = notes;
        _notesLength = 0;
        var before = _info.Marks;
        try
        {
            for (var reader = new ElementReader(changes); reader.TryRead();)
            {
                if (TryMake(reader.Action, new ListChange(reader.Name, reader.Value), reader.IsStub))
                    continue;
                Undo();
                _info.Marks = before;
                (Added, Removed) = (0, 0);
                return false;
            }

            Forget();
            return true;
        }
        finally
        {
            _notes = default;
            if (notes is not null)
                ArrayPool<byte>.Shared.Return(notes);
        }
    }

    /// <summary>Makes one; of those that take several steps, as one of a write.</summary>
    public bool TryMake(ElementAction action, in ListChange change, bool isStub)
    {
        long count = _info.First.Count;
        uint at = (uint)(change.Position == ListChange.AtEnd ? count : change.Position);
        Debug.Assert(at <= count, "A change is of an element that is there.");
        bool isMade = action switch
        {
            ElementAction.Put => TryInsert(at, new TreeEntry(change.Value, default, isNameStub: isStub)),
            ElementAction.Replace => TryReplace(at, new TreeEntry(change.Value, default, isNameStub: isStub)),
            ElementAction.Drop => TryRemove(at, change.Count),
            _ => TryMove(at, (uint)change.Target),
        };
        if (isMade && change.IsFirst)
            _info.Marks = _info.Marks with { Change = change.Number };
        return isMade;
    }

    private static int StepsOf(ReadOnlySpan<byte> changes)
    {
        int steps = 0;
        for (var reader = new ElementReader(changes); reader.TryRead();)
        {
            steps += reader.Action switch
            {
                ElementAction.Drop => new ListChange(reader.Name, reader.Value).Count,
                ElementAction.Move => 2,
                _ => 1,
            };
        }

        Debug.Assert(steps <= ElementChanges.CountMax + 1, "A step is bounded.");
        return steps;
    }

    private bool TryInsert(uint at, in TreeEntry entry)
    {
        if (entry.IsNameStub)
            heap.LongElements.AddReference(entry.Name); // The tree's own.
        if (Tree().InsertAt(at, entry) == TreeChange.NoRoom)
        {
            if (entry.IsNameStub)
                heap.LongElements.Release(entry.Name);
            return false;
        }

        Note(Step.Insert, at, default);
        MoveHead(at, -1);
        Added++;
        IsChanged = true;
        return true;
    }

    private bool TryReplace(uint at, in TreeEntry entry)
    {
        Note(Step.Replace, at, EntryAt(at));
        if (entry.IsNameStub)
            heap.LongElements.AddReference(entry.Name);
        if (Tree().SetAt(at, entry) != TreeChange.NoRoom)
        {
            IsChanged = true;
            return true;
        }

        if (entry.IsNameStub)
            heap.LongElements.Release(entry.Name);
        ForgetLast();
        return false;
    }

    private bool TryRemove(uint at, int count)
    {
        for (; count > 0; count--)
        {
            Note(Step.Remove, at, EntryAt(at));
            if (Tree().RemoveAt(at) == TreeChange.NoRoom)
            {
                ForgetLast();
                return false;
            }

            MoveHead(at, 1);
            Removed++;
            IsChanged = true;
        }

        return true;
    }

    private bool TryMove(uint from, uint to)
    {
        Debug.Assert(!_notes.IsEmpty, "The element is where its removal was noted.");
        if (!TryRemove(from, 1))
            return false;
        var moved = Last(out _);
        if (!TryInsert(to, moved))
            return false;
        (Added, Removed) = (Added - 1, Removed - 1);
        return true;
    }

    private readonly TreeEntry EntryAt(uint at)
    {
        bool isThere = heap.ViewOf(_info).TryGetAt(at, out var entry);
        Debug.Assert(isThere, "A change is of an element that is there.");
        return entry;
    }

    // Who looks for an element that was found a moment ago knows by it how far the list has moved.
    private readonly void MoveHead(uint at, int by)
    {
        if (at == 0)
            _info.Marks = _info.Marks with { Head = _info.Marks.Head + by };
    }

    private void Note(Step step, uint at, in TreeEntry former)
    {
        if (_notes.IsEmpty)
            return;
        if (former.IsNameStub)
            heap.LongElements.AddReference(former.Name); // It may be made again.
        former.Name.CopyTo(_notes[_notesLength..]);
        var tail = _notes.Slice(_notesLength + former.Name.Length, TailSize);
        BinaryPrimitives.WriteInt32LittleEndian(tail, former.Name.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(tail[sizeof(int)..], at);
        tail[^2] = former.IsNameStub ? (byte)1 : (byte)0;
        tail[^1] = (byte)step;
        _notesLength += former.Name.Length + TailSize;
    }

    // What was noted last.
    private readonly TreeEntry Last(out (Step Step, uint At) done)
    {
        var tail = _notes.Slice(_notesLength - TailSize, TailSize);
        int length = BinaryPrimitives.ReadInt32LittleEndian(tail);
        done = ((Step)tail[^1], BinaryPrimitives.ReadUInt32LittleEndian(tail[sizeof(int)..]));
        return new TreeEntry(
            _notes.Slice(_notesLength - TailSize - length, length), default, isNameStub: tail[^2] != 0);
    }

    private void ForgetLast()
    {
        if (_notesLength == 0)
            return;
        var former = Last(out _);
        if (former.IsNameStub)
            heap.LongElements.Release(former.Name);
        _notesLength -= former.Name.Length + TailSize;
    }

    private void Forget()
    {
        while (_notesLength != 0)
            ForgetLast();
    }

    private void Undo()
    {
        bool before = ObjectHeap.BeginOverdraft();
        try
        {
            for (; _notesLength != 0; ForgetLast())
                UndoLast();
        }
        finally
        {
            ObjectHeap.EndOverdraft(before);
        }
    }

    private void UndoLast()
    {
        var former = Last(out var done);
        if (done.Step != Step.Insert && former.IsNameStub)
            heap.LongElements.AddReference(former.Name); // The tree's own.
        var change = done.Step switch
        {
            Step.Insert => Tree().RemoveAt(done.At),
            Step.Replace => Tree().SetAt(done.At, former),
            _ => Tree().InsertAt(done.At, former),
        };
        if (change == TreeChange.NoRoom)
            ElementWriter.ThrowNotUndone();
    }

    private readonly TreeWriter<ByPosition> Tree() => new(heap.Pages, ref _info.First, ref _info.Epochs, number);
}
