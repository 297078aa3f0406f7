namespace Cache.Core.Collections;

/// <summary>How a step of a write ended.</summary>
internal enum ObjectStep
{
    Done,

    /// <summary>The home was written meanwhile, or the journal had no room.</summary>
    Again,

    /// <summary>The home must be held.</summary>
    NeedsHome,

    /// <summary>There was no page for it: nothing was changed.</summary>
    NeedsPages,

    /// <summary>There is no block for a long value, or for what a journal gets: nothing was changed.</summary>
    NeedsBlocks,

    /// <summary>The key is absent, or has a packed collection.</summary>
    IsSmall,
}
