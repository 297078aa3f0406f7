using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Elements of a stream of one tag and one group, in the order of their names.</summary>
internal ref struct StreamElements
{
    private readonly ulong _key;
    private TreeCursor<ByNumber> _cursor;
    private bool _isMoved;

    /// <param name="stream">The stream.</param>
    /// <param name="tag">The tag.</param>
    /// <param name="group">The number of the group; 0 for what has none.</param>
    /// <param name="from">The least name.</param>
    public StreamElements(scoped in StreamView stream, byte tag, uint group, scoped ReadOnlySpan<byte> from)
    {
        _key = StreamElement.KeyOf(tag, group);
        _cursor = stream.Elements.AtOrAbove(_key, from);
    }

    /// <summary>The name in the tree: without tag and group.</summary>
    public readonly ReadOnlySpan<byte> Name => _cursor.Entry.Name;

    public readonly ReadOnlySpan<byte> Value => _cursor.Entry.Value;

    /// <summary>Goes to the next one; at first, to the first one.</summary>
    public bool MoveNext()
    {
        if (_isMoved && _cursor.IsValid)
            _cursor.MoveNext();
        _isMoved = true;
        return _cursor.IsValid && _cursor.Key == _key;
    }
}
