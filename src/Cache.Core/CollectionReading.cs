using Cache.Core.Collections;
using Cache.Core.Collections.Hashes;
using Cache.Core.Collections.Lists;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>A large collection, or a range of one, as it was at one moment, told in parts; dispose it.</summary>
/// <remarks>
/// Nothing is locked between two parts. What is overwritten meanwhile stays in memory until it is disposed. One thread
/// at a time. Made by <see cref="HashKey.Read"/>, <see cref="SetKey.Read"/>, <see cref="SortedSetKey.Read"/> and
/// <see cref="ListKey.Read"/>.
/// </remarks>
public sealed class CollectionReading : IDisposable
{
    private readonly StoreState _state;
    private readonly ObjectStub _stub;
    private readonly uint _snapshot;
    private readonly ObjectView _view;
    private readonly long _nowMs;
    private readonly bool _isReversed;

    // Ranks of the next element and behind the last one; from the end on where it is reversed.
    private long _next;
    private readonly long _end;
    private bool _isDisposed;

    internal CollectionReading(
        StoreState state, ObjectStub stub, uint snapshot, in ObjectView view, long first, long count, bool isReversed)
    {
        (_state, _stub, _snapshot, _view, _isReversed) = (state, stub, snapshot, view, isReversed);
        (_next, _end) = (first, first + count);
        _nowMs = state.Fields.NowMs;
        Count = view.Kind == EntryKind.Hash ? count - Math.Min(count, view.CountExpired(_nowMs)) : count;
    }

    /// <summary>The number of elements that are told in all.</summary>
    public long Count { get; }

    /// <summary>Whether all are told.</summary>
    public bool IsDone => _next >= _end;

    /// <summary>Tells fields of a hash until the sink is full.</summary>
    /// <exception cref="ObjectDisposedException">The store was disposed.</exception>
    public void TellFields<TSink>(ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        var cursor = _view.First<ByHashWithValue>().At((uint)_next);
        while (_next < _end && HashView.Take(_state, _view, ref cursor, (uint)_next, _nowMs, ref sink))
            _next++;
        _state.ThrowIfDisposed();
    }

    /// <summary>Tells members of a set, or of a sorted set with their scores, until the sink is full.</summary>
    /// <exception cref="ObjectDisposedException">The store was disposed.</exception>
    public void TellMembers<TSink>(ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        if (_view.Kind == EntryKind.Set)
            Tell(_view.First<ByHash>().At((uint)_next), ref sink);
        else
            Tell(_view.Second<ByScore>().At((uint)(_isReversed ? _view.Count - 1 - _next : _next)), ref sink);
    }

    /// <summary>Tells elements of a list until the sink is full.</summary>
    /// <exception cref="ObjectDisposedException">The store was disposed.</exception>
    public void TellElements<TSink>(ref TSink sink)
        where TSink : struct, IElementSink, allows ref struct
    {
        var cursor = _view.First<ByPosition>().At((uint)_next);
        for (; _next < _end && cursor.IsValid && !sink.IsFull; _next++, cursor.MoveNext())
            ListView.Take(_state, _view, cursor.Entry, _next, ref sink);
        _state.ThrowIfDisposed();
    }

    /// <summary>Gives back what it held; nothing is told any more.</summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _next = _end;
        _state.Objects!.EndSnapshot(_stub, _snapshot);
    }

    private void Tell<TOrder, TSink>(TreeCursor<TOrder> cursor, ref TSink sink)
        where TOrder : struct, ITreeOrder
        where TSink : struct, IScoredMemberSink, allows ref struct
    {
        while (_next < _end && cursor.IsValid && !sink.IsFull)
        {
            MemberView.Take(_state, _view, cursor, _next++, ref sink);
            if (_isReversed)
                cursor.MovePrevious();
            else
                cursor.MoveNext();
        }

        _state.ThrowIfDisposed();
    }
}
