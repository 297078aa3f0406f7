using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>A change of a small collection; a struct type argument, so that the call is no interface call.</summary>
internal interface IPackedEdit
{
    /// <summary>The kind of collection that it changes, or makes if the key is absent.</summary>
    EntryKind Kind { get; }

    /// <summary>
    /// Changes the entries, under the lock of the key's home. It may be called again: an obstacle was met, and nothing
    /// of what it did has been written.
    /// </summary>
    /// <param name="editor">The collection, empty if the key is absent.</param>
    /// <returns>Done, and what was changed is written; or why nothing is.</returns>
    WriteStatus Run(scoped ref PackedEditor editor);
}
