namespace Cache.Core.Collections.Trees;

/// <summary>What a write of a tree did.</summary>
internal enum TreeChange
{
    /// <summary>There is no page for it, or the tree is full: nothing was changed.</summary>
    NoRoom,

    /// <summary>The element is new.</summary>
    Added,

    /// <summary>The element was there, and has the new value.</summary>
    Replaced,

    /// <summary>The element was removed.</summary>
    Removed,

    /// <summary>The element was not there, or was there already: nothing was changed.</summary>
    None,
}
