using Cache.Core.Collections;
using Cache.Core.Collections.Lists;
using Cache.Core.Collections.Objects;

namespace Cache.Core;

/// <summary>The writes.</summary>
public readonly ref partial struct ListKey
{
    // Two of the longest elements: what a journal gets of a step is one block.
    private const long StepBytesMax = 1L << 30;

    // Others have changed a long list in its middle so often.
    private const int InsertAttemptsMax = 8;

    /// <summary>Adds an element at an end. The key's expiry stays.</summary>
    public WriteStatus Push(ListEnd end, ReadOnlySpan<byte> element) =>
        Push(end, element, SetCondition.Always, out _);

    /// <summary>Adds an element at an end if a condition holds. The key's expiry stays.</summary>
    /// <param name="end">The end.</param>
    /// <param name="element">The element.</param>
    /// <param name="condition">Whether the list must be absent or present.</param>
    /// <param name="count">The number of elements afterwards.</param>
    public WriteStatus Push(ListEnd end, ReadOnlySpan<byte> element, SetCondition condition, out long count)
    {
        var one = new OneName(element);
        return PushMany(end, ref one, condition, out count);
    }

    /// <summary>
    /// Adds several elements at an end, one after the other: of at most 128, and 1 GB, all or none; of more in steps of
    /// as many.
    /// </summary>
    /// <remarks>
    /// Others may see the first steps before the last, and push between them; where one of them fails, those before it
    /// stay, and no other key waits for a long write.
    /// </remarks>
    /// <param name="end">The end: at the left one, the last element becomes the first of the list.</param>
    /// <param name="elements">The elements.</param>
    /// <param name="condition">Whether the list must be absent or present.</param>
    /// <param name="count">The number of elements afterwards.</param>
    public WriteStatus PushMany<TElements>(
        ListEnd end, ref TElements elements, SetCondition condition, out long count)
        where TElements : struct, IKeySource, allows ref struct
    {
        ThrowIfNone(end);
        count = 0;
        var status = WriteStatus.Done;
        int length;
        for (int from = 0; (from < elements.Count || from == 0) && status == WriteStatus.Done; from += length)
        {
            length = LengthOfStep(ref elements, from);
            var step = new KeySlice<TElements>(elements, from, length);
            var edit = new PushEdit<KeySlice<TElements>>(end, step, from == 0 ? condition : SetCondition.Always);
            status = Write(ref edit);
            elements = edit.Elements.Names;
            if (status is WriteStatus.Done or WriteStatus.ConditionNotMet)
                count = edit.Count;
            if (length == 0)
                break;
        }

        return status;
    }

    private static int LengthOfStep<TElements>(ref TElements elements, int from)
        where TElements : struct, IKeySource, allows ref struct
    {
        int most = Math.Min(elements.Count - from, ElementChanges.CountMax);
        long bytes = 0;
        for (int length = 0; length < most; length++)
        {
            bytes += elements.GetKey(from + length).Length;
            if (bytes > StepBytesMax && length > 0)
                return length;
        }

        return most;
    }

    /// <summary>Removes the element at an end, and copies it into the sink.</summary>
    /// <remarks>It is removed before the sink is called.</remarks>
    /// <returns>NotFound if there is none: the sink is then untouched.</returns>
    public WriteStatus Pop<TSink>(ListEnd end, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        var one = new OneElementSink<TSink>(sink);
        var status = PopMany(end, 1, ref one);
        sink = one.Sink;
        return status;
    }

    /// <summary>Removes the element at an end.</summary>
    /// <returns>The element as a new array; null if there is none, or the key is of another kind.</returns>
    public byte[]? PopArray(ListEnd end)
    {
        var sink = default(ArraySink);
        return Pop(end, ref sink) == WriteStatus.Done ? sink.Array : null;
    }

    /// <summary>Removes elements at an end, and copies them into the sink.</summary>
    /// <remarks>
    /// They are removed before the sink is called. More than 128 elements of a list of more than 4 KB are removed in
    /// steps of as many; they end where those that are told would take an eighth of the store's limit.
    /// </remarks>
    /// <param name="end">The end.</param>
    /// <param name="count">The most that are removed, at least 1.</param>
    /// <param name="sink">Receives the elements; from the right end, the last one of the list first.</param>
    /// <returns>NotFound if there is none: the sink is then not called.</returns>
    public WriteStatus PopMany<TSink>(ListEnd end, long count, ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        ThrowIfNone(end);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        using var taken = TakenMembers.Rent();
        var status = PopSteps(end, count, taken);
        if (status != WriteStatus.Done && taken.Count == 0)
            return status;
        ListView.Tell(taken, ref sink);
        return WriteStatus.Done;
    }

    /// <summary>Moves the element at an end of this list to an end of a list, perhaps the same one.</summary>
    /// <remarks>The lists are changed together, before the sink is called.</remarks>
    /// <param name="from">The end of this list.</param>
    /// <param name="destination">The key of the other list, in the same keyspace.</param>
    /// <param name="to">The end of the other list.</param>
    /// <param name="sink">Receives the element.</param>
    /// <returns>
    /// NotFound if this list has none; WrongType if either key is of another kind. Then nothing is changed, and the
    /// sink is untouched.
    /// </returns>
    public WriteStatus Move<TSink>(ListEnd from, ReadOnlySpan<byte> destination, ListEnd to, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        ThrowIfNone(from);
        ThrowIfNone(to);
        using var taken = TakenMembers.Rent();
        WriteStatus status;
        if (destination.SequenceEqual(_key.Bytes))
        {
            var edit = new RotateEdit(from, to, taken);
            status = Write(ref edit);
        }
        else
        {
            status = _store.Counted(ListMover.Move(_store, _key.Bytes, from, destination, to, taken));
        }

        int position = 0;
        if (status != WriteStatus.Done || !taken.TryMoveNext(ref position, out var element, out _))
            return status;
        element.CopyTo(sink.GetSpan(element.Length));
        sink.Advance(element.Length);
        return status;
    }

    /// <summary>Replaces the element with an index.</summary>
    /// <returns>NotFound if the key is absent, ConditionNotMet if there is no such element.</returns>
    public WriteStatus Set(long index, ReadOnlySpan<byte> element)
    {
        var edit = new SetElementEdit(index, element);
        return Write(ref edit);
    }

    /// <summary>Adds an element to the left of the leftmost one that is equal to another.</summary>
    /// <param name="pivot">The bytes that are looked for.</param>
    /// <param name="element">The new element.</param>
    /// <param name="count">The number of elements afterwards.</param>
    /// <returns>NotFound if the key is absent, ConditionNotMet if it has no such element.</returns>
    public WriteStatus InsertBefore(ReadOnlySpan<byte> pivot, ReadOnlySpan<byte> element, out long count) =>
        Insert(pivot, element, isBefore: true, out count);

    /// <summary>As <see cref="InsertBefore"/>, to the right of it.</summary>
    public WriteStatus InsertAfter(ReadOnlySpan<byte> pivot, ReadOnlySpan<byte> element, out long count) =>
        Insert(pivot, element, isBefore: false, out count);

    /// <summary>
    /// Removes elements that are equal to another; of a list of more than 1,024 elements in steps of at most 128.
    /// </summary>
    /// <param name="element">The bytes that are looked for.</param>
    /// <param name="count">The most that are removed, from the left; negative: from the right; 0: all.</param>
    /// <param name="removed">The number of those that were removed.</param>
    /// <returns>NotFound if there was none.</returns>
    public WriteStatus Remove(ReadOnlySpan<byte> element, long count, out long removed)
    {
        var remover = new ElementRemover(_store.State, count, element);
        var status = _store.Counted(remover.Remove(_key));
        removed = remover.Removed;
        return status;
    }

    /// <summary>
    /// Removes all elements but a range, of a list of more than 4 KB in steps of at most 128; with an empty range, the
    /// key.
    /// </summary>
    /// <param name="first">The index of the first one that stays.</param>
    /// <param name="last">The index of the last one that stays.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus Trim(long first, long last)
    {
        TrimRest? rest = null;
        WriteStatus status;
        do
        {
            var edit = new TrimEdit(first, last, rest);
            status = Write(ref edit);
            if (status == WriteStatus.NotFound && rest is not null)
                return WriteStatus.Done; // Others have removed what was left.
            rest = edit.Rest;
        }
        while (status == WriteStatus.Done && !rest.Value.IsNone);
        return status;
    }

    /// <summary>Gives the key a list of its own, whatever its value was, and without an expiry.</summary>
    /// <param name="elements">The elements from the left; without any, the key goes.</param>
    public WriteStatus Replace<TElements>(ref TElements elements)
        where TElements : struct, IKeySource, allows ref struct =>
        _store.Counted(ListReplacer.Replace(_store, _key, ref elements));

    /// <summary>Takes a copy of the element at an end, or a reference to a long one.</summary>
    internal WriteStatus Peek(ListEnd end, TakenMembers taken)
    {
        var edit = new PeekEdit(end, taken);
        return ObjectWriter.Write(_store.State, _key, ref edit);
    }

    /// <summary>Removes the element at an end.</summary>
    internal WriteStatus RemoveEnd(ListEnd end)
    {
        using var taken = TakenMembers.Rent();
        return PopSteps(end, count: 1, taken);
    }

    private WriteStatus Insert(
        ReadOnlySpan<byte> pivot, ReadOnlySpan<byte> element, bool isBefore, out long count)
    {
        ListPlace? place = null;
        for (int attempts = 0; ; attempts++)
        {
            bool searchesAll = attempts == InsertAttemptsMax;
            var edit = new InsertElementEdit(pivot, element, isBefore, place, searchesAll);
            var status = Write(ref edit);
            count = status is WriteStatus.Done or WriteStatus.ConditionNotMet ? edit.Count : 0;
            if (!edit.NeedsPlace || !TryFindPlace(pivot, ref place))
                return status;
        }
    }

    // In a snapshot. False if a large list has no such element.
    private bool TryFindPlace(ReadOnlySpan<byte> element, ref ListPlace? place)
    {
        using var copy = CollectionCopy.Peek(_store.State, _key, EntryKind.List, out var status, out _);
        if (status != ReadStatus.Found || !copy.IsObject)
            return true; // It is another one by now.
        var search = new ElementSearch(_store.State, copy, element, new ListSearch());
        if (!search.TryMoveNext(out long index))
            return false;
        place = ListPlace.Of(copy.View, index);
        return true;
    }

    // What others push meanwhile is not taken: it ends. Where a step is refused, those before it are told.
    private WriteStatus PopSteps(ListEnd end, long count, TakenMembers taken)
    {
        long left = count;
        WriteStatus status;
        do
        {
            var before = taken.End;
            var edit = new PopEdit(end, left, taken);
            status = Write(ref edit);
            if (status != WriteStatus.Done)
                taken.Truncate(before); // They were only planned.
            left = Math.Min(left, edit.Present) - (taken.Count - before.Count);
        }
        while (status == WriteStatus.Done && left > 0 && taken.Bytes < _store.TakenMembersMax);
        return status;
    }

    private static void ThrowIfNone(ListEnd end)
    {
        if (end is not (ListEnd.Left or ListEnd.Right))
            throw new ArgumentOutOfRangeException(nameof(end), end, "A list has a left and a right end.");
    }

    private ref struct OneElementSink<TSink>(TSink sink) : IElementSink
        where TSink : struct, IValueSink, allows ref struct
    {
        public TSink Sink = sink;

        public readonly bool IsFull => false;

        public readonly void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> element)
        {
            element.CopyTo(Sink.GetSpan(element.Length));
            Sink.Advance(element.Length);
        }
    }
}
