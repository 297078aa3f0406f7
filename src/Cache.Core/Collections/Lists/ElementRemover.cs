using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Lists;

/// <summary>Removes the elements of a long list that are equal to another, in steps.</summary>
/// <remarks>
/// They are found in a snapshot, and each is looked at again where it is removed: what others push and pop meanwhile
/// moves it, and is known. Where others insert and remove in the middle, some are missed: then all is done again.
/// </remarks>
internal ref struct ElementRemover(StoreState state, long count, ReadOnlySpan<byte> element)
{
    private const int AttemptsMax = 8;
    private const int ElementsPerCheck = 1024;

    private readonly ReadOnlySpan<byte> _element = element;
    private readonly long _most = RemoveElementsEdit.MostOf(count);
    private bool _isOutdated;

    /// <summary>The number of those that were removed.</summary>
    public long Removed { get; private set; }

    /// <returns>NotFound if there was none.</returns>
    public WriteStatus Remove(scoped in EntryKey key)
    {
        var status = WriteStatus.Done;
        for (int attempts = 0; attempts < AttemptsMax && status == WriteStatus.Done; attempts++)
        {
            var edit = new RemoveElementsEdit(Rest, _element);
            status = ObjectWriter.Write(state, key, ref edit);
            if (!edit.IsLong)
            {
                Removed += status == WriteStatus.Done ? edit.Removed : 0;
                break;
            }

            status = RemoveLong(key);
            if (!_isOutdated || Removed == _most)
                break;
        }

        return status != WriteStatus.Done && status != WriteStatus.NotFound ? status
            : Removed > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    private readonly long Rest => count == 0 ? 0 : count < 0 ? Removed - _most : _most - Removed;

    private WriteStatus RemoveLong(scoped in EntryKey key)
    {
        _isOutdated = false;
        using var copy = CollectionCopy.Peek(state, key, EntryKind.List, out var read, out _);
        if (read != ReadStatus.Found || !copy.IsObject)
        {
            _isOutdated = read == ReadStatus.Found;
            return read == ReadStatus.WrongType ? WriteStatus.WrongType : WriteStatus.Done;
        }

        var view = copy.View;
        Span<ListPlace> found = stackalloc ListPlace[ElementChanges.CountMax];
        long shift = 0;
        var cursor = view.First<ByPosition>().At(count < 0 ? view.Count - 1 : 0);
        int length = 0;
        for (uint seen = 0; seen < view.Count && cursor.IsValid && Removed < _most; seen++)
        {
            if (seen % ElementsPerCheck == 0)
                state.ThrowIfDisposed();
            if (view.IsEqual(cursor.Entry, _element))
                found[length++] = ListPlace.Of(view, count < 0 ? view.Count - 1 - seen : seen);
            if (length == found.Length || (length > 0 && Removed + length == _most))
            {
                var status = RemoveStep(key, found[..length], ref shift);
                if (status != WriteStatus.Done)
                    return status;
                length = 0;
            }

            if (count < 0)
                cursor.MovePrevious();
            else
                cursor.MoveNext();
        }

        state.ThrowIfDisposed();
        return length == 0 ? WriteStatus.Done : RemoveStep(key, found[..length], ref shift);
    }

    private WriteStatus RemoveStep(scoped in EntryKey key, scoped Span<ListPlace> found, ref long shift)
    {
        if (count < 0)
            found.Reverse();
        for (int i = 0; i < found.Length; i++)
            found[i] = found[i] with { At = found[i].At - shift };
        var edit = new RemovePlacesEdit(found, _element);
        var status = ObjectWriter.Write(state, key, ref edit);
        _isOutdated |= edit.IsOutdated;
        if (status == WriteStatus.NotFound)
            return WriteStatus.Done;
        if (status != WriteStatus.Done)
            return status;
        Removed += edit.Removed;
        shift += count < 0 ? 0 : edit.Shift; // Those to the left of the removed ones stay.
        return WriteStatus.Done;
    }
}
