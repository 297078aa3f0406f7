using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>The pages from the root to a leaf, by their levels, and what a write does to each.</summary>
[InlineArray(TreePage.LevelsMax)]
internal struct TreePath
{
    private PathStep _first;
}

/// <summary>One page of a path.</summary>
internal struct PathStep
{
    public uint Page;

    /// <summary>The child that the path goes to; in a leaf, the element.</summary>
    public int Index;

    /// <summary>What makes room in the page.</summary>
    public RoomAction Action;

    /// <summary>The first cell of the right half, counted with the new one.</summary>
    public int SplitAt;

    /// <summary>The grains of the page that takes the place of this one, or of the new page beside it.</summary>
    public int Grains;

    /// <summary>Those of the right half.</summary>
    public int RightGrains;
}

/// <summary>How a page gets room for one element or child more.</summary>
internal enum RoomAction : byte
{
    /// <summary>There is room.</summary>
    None,

    /// <summary>Its free bytes are moved together.</summary>
    Compact,

    /// <summary>It is copied to a longer one.</summary>
    Grow,

    /// <summary>It is copied to two.</summary>
    Halve,

    /// <summary>It stays full, and what is new begins a page behind it: at the end of the tree.</summary>
    BeginAfter,

    /// <summary>The same before it: at the beginning.</summary>
    BeginBefore,
}
