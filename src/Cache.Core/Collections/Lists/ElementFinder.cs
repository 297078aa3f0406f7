using Cache.Core.Collections.Objects;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Lists;

/// <summary>Finds the element of a list with an index.</summary>
internal readonly struct ElementFinder(long index) : IElementFinder
{
    public EntryKind Kind => EntryKind.List;

    public bool TryFind(in ObjectView view, out TreeEntry entry) =>
        view.TryGetAt(ListRange.Resolve(index, view.Count), out entry);
}
