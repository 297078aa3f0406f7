using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Streams;

/// <summary>Reads the entries of a range of a stream, forwards or backwards.</summary>
/// <remarks>
/// Blocks are copied before they are read, so torn ones are read as something else and throw nothing. In a torn tree it
/// need not end: who holds nothing bounds <see cref="BlockCount"/>.
/// </remarks>
internal ref struct EntryCursor
{
    private readonly StreamId _from;
    private readonly StreamId _to;
    private readonly bool _isReversed;
    private readonly EntryRoom _room;
    private TreeCursor<ByNumber> _cursor;
    private int _length;
    private int _count;
    private int _index;
    private StreamId _first;
    private bool _isMoved;

    public EntryCursor(in StreamView view, StreamId from, StreamId to, bool isReversed, EntryRoom room)
    {
        _from = from;
        _to = to;
        _isReversed = isReversed;
        _room = room;
        _cursor = view.BlockFor(isReversed ? to : from);
    }

    /// <summary>The blocks that were read.</summary>
    public int BlockCount { get; private set; }

    public StreamId Id { get; private set; }

    /// <summary>The names of the fields; none of a long entry.</summary>
    public ReadOnlySpan<byte> Shape { get; private set; }

    /// <summary>The values of the fields; none of a long entry.</summary>
    public ReadOnlySpan<byte> Values { get; private set; }

    /// <summary>Whether the entry lies in a block of its own, of which the tree has a stub.</summary>
    public bool IsLong { get; private set; }

    /// <summary>The stub of a long entry.</summary>
    public readonly TreeEntry Entry => _cursor.Entry;

    /// <summary>The entries of the block that was entered last.</summary>
    public readonly int CountInBlock => _count;

    /// <summary>The last id of that block.</summary>
    public readonly StreamId LastInBlock =>
        IsLong ? _first : StreamBlock.LastIdOf(_first, _room.Block.AsSpan(0, _length));

    /// <summary>Goes to the next entry of the range.</summary>
    public bool TryMoveNext()
    {
        while (true)
        {
            while (_index < _count)
            {
                Read(_isReversed ? _count - 1 - _index : _index);
                _index++;
                if (_isReversed ? Id < _from : Id > _to)
                    return false;
                if (_isReversed ? Id <= _to : Id >= _from)
                    return true;
            }

            if (!TryEnter())
                return false;
        }
    }

    private bool TryEnter()
    {
        if (_isMoved && _cursor.IsValid)
            _ = _isReversed ? _cursor.MovePrevious() : _cursor.MoveNext();
        _isMoved = true;
        if (!_cursor.IsValid)
            return false;
        BlockCount++;
        _index = 0;
        _first = StreamView.FirstIdOf(_cursor);
        var entry = _cursor.Entry;
        IsLong = entry.IsValueStub;
        _count = 1;
        if (IsLong)
            return true;
        _length = Math.Min(entry.Value.Length, _room.Block.Length);
        entry.Value[.._length].CopyTo(_room.Block);
        _count = 0;
        int shape = 0;
        for (var reader = new StreamBlockReader(_first, _room.Block.AsSpan(0, _length)); reader.TryRead();)
        {
            if (_count == _room.Starts.Length)
                break; // Torn.
            if (reader.HasShape)
                shape = reader.ShapeStart;
            _room.Starts[_count] = (ushort)reader.Start;
            _room.Shapes[_count] = (ushort)shape;
            _count++;
        }

        return true;
    }

    private void Read(int index)
    {
        if (IsLong)
        {
            Id = _first;
            Shape = default;
            Values = default;
            return;
        }

        var block = _room.Block.AsSpan(0, _length);
        var reader = new StreamBlockReader(_first, block, _room.Starts[index]);
        reader.TryRead();
        Id = reader.Id;
        Values = reader.Values;
        Shape = StreamBlock.ShapeAt(block, _room.Shapes[index]);
    }
}
