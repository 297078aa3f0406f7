using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Moves an element from one end of a list to an end of the same list.</summary>
/// <remarks>memory: Where it is kept for the caller, <see cref="PackedEditor.MemorySize"/> bytes.</remarks>
internal ref struct RotateEdit(ListEnd from, ListEnd to, Span<byte> memory) : IPackedEdit
{
    private PopEdit _pop = new(from, count: 1, memory);

    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>The element.</summary>
    public readonly PackedTable Moved => _pop.Taken;

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        var status = _pop.Run(ref editor);
        if (status != WriteStatus.Done || !Moved.TryGetAt(0, out var place))
            return status;
        return PushEdit<OneName>.TryPush(ref editor, to, Moved.NameAt(place))
            ? WriteStatus.Done
            : WriteStatus.CollectionTooLong;
    }
}
