using System.Buffers;
using Cache.Core.Collections;
using Cache.Core.Collections.Lists;
using Cache.Core.Collections.Packed;

namespace Cache.Core;

/// <summary>The writes.</summary>
public readonly ref partial struct ListKey
{
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

    /// <summary>Adds several elements at an end, one after the other: all or none.</summary>
    /// <param name="end">The end: at the left one, the last element becomes the first of the list.</param>
    /// <param name="elements">The elements.</param>
    /// <param name="condition">Whether the list must be absent or present.</param>
    /// <param name="count">The number of elements afterwards.</param>
    public WriteStatus PushMany<TElements>(
        ListEnd end, ref TElements elements, SetCondition condition, out long count)
        where TElements : struct, IKeySource, allows ref struct
    {
        ThrowIfNone(end);
        var edit = new PushEdit<TElements>(end, elements, condition);
        var status = Write(ref edit);
        count = status is WriteStatus.Done or WriteStatus.ConditionNotMet ? edit.Count : 0;
        return status;
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
    /// <remarks>They are removed before the sink is called.</remarks>
    /// <param name="end">The end.</param>
    /// <param name="count">The most that are removed, at least 1.</param>
    /// <param name="sink">Receives the elements; from the right end, the last one of the list first.</param>
    /// <returns>NotFound if there is none: the sink is then not called.</returns>
    public WriteStatus PopMany<TSink>(ListEnd end, long count, ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        ThrowIfNone(end);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        try
        {
            var edit = new PopEdit(end, count, memory);
            var status = Write(ref edit);
            if (status == WriteStatus.Done)
                Tell(edit.Taken, end, ref sink);
            return status;
        }
        finally // The sink may throw.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }
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
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        try
        {
            if (!destination.SequenceEqual(_key.Bytes))
                return _store.Counted(ListMover.Move(_store, _key.Bytes, from, destination, to, memory, ref sink));
            var edit = new RotateEdit(from, to, memory);
            var status = Write(ref edit);
            if (status == WriteStatus.Done && edit.Moved.TryGetAt(0, out var place))
            {
                edit.Moved.NameAt(place).CopyTo(sink.GetSpan(place.NameLength));
                sink.Advance(place.NameLength);
            }

            return status;
        }
        finally // The sink may throw.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }
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
        Insert(new InsertElementEdit(pivot, element, isBefore: true), out count);

    /// <summary>As <see cref="InsertBefore"/>, to the right of it.</summary>
    public WriteStatus InsertAfter(ReadOnlySpan<byte> pivot, ReadOnlySpan<byte> element, out long count) =>
        Insert(new InsertElementEdit(pivot, element, isBefore: false), out count);

    /// <summary>Removes elements that are equal to another.</summary>
    /// <param name="element">The bytes that are looked for.</param>
    /// <param name="count">The most that are removed, from the left; negative: from the right; 0: all.</param>
    /// <param name="removed">The number of those that were removed.</param>
    /// <returns>NotFound if there was none.</returns>
    public WriteStatus Remove(ReadOnlySpan<byte> element, long count, out long removed)
    {
        var edit = new RemoveElementsEdit(count, element);
        var status = Write(ref edit);
        removed = status == WriteStatus.Done ? edit.Removed : 0;
        return status;
    }

    /// <summary>Removes all elements but a range; with an empty range, the key.</summary>
    /// <param name="first">The index of the first one that stays.</param>
    /// <param name="last">The index of the last one that stays.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus Trim(long first, long last)
    {
        var edit = new TrimEdit(first, last);
        return Write(ref edit);
    }

    /// <summary>Gives the key a list of its own, whatever its value was, and without an expiry.</summary>
    /// <param name="elements">The elements from the left; without any, the key goes.</param>
    public WriteStatus Replace<TElements>(ref TElements elements)
        where TElements : struct, IKeySource, allows ref struct =>
        _store.Counted(ListReplacer.Replace(_store, _key, ref elements));

    private WriteStatus Insert(InsertElementEdit edit, out long count)
    {
        var status = Write(ref edit);
        count = status is WriteStatus.Done or WriteStatus.ConditionNotMet ? edit.Count : 0;
        return status;
    }

    private static void Tell<TSink>(in PackedTable taken, ListEnd end, ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        sink.Begin(taken.Count);
        for (int i = 0; i < taken.Count; i++)
        {
            if (taken.TryGetAt(end == ListEnd.Left ? i : taken.Count - 1 - i, out var place))
                sink.Take(taken.NameAt(place));
        }
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
