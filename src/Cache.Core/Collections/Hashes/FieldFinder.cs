using Cache.Core.Collections.Objects;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Hashes;

/// <summary>Finds a field of a hash.</summary>
internal readonly ref struct FieldFinder(ReadOnlySpan<byte> field) : IElementFinder
{
    private readonly ReadOnlySpan<byte> _field = field;

    public EntryKind Kind => EntryKind.Hash;

    public bool TryFind(in ObjectView view, out TreeEntry entry) => view.TryFindField(_field, out entry);
}
