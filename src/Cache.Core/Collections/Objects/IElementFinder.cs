using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>
/// Finds an element of a large collection; a struct type argument, so that the call is no interface call.
/// </summary>
internal interface IElementFinder
{
    /// <summary>What the collection is.</summary>
    EntryKind Kind { get; }

    /// <summary>Finds it; the caller holds the object.</summary>
    bool TryFind(in ObjectView view, out TreeEntry entry);
}
