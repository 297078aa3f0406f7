namespace Cache.Core.Collections.Objects;

/// <summary>A change of a large collection; a struct type argument, so that the call is no interface call.</summary>
/// <remarks>
/// How a kind is added: its edits implement this beside <c>IPackedEdit</c>, and say what becomes of which elements; its
/// queries implement <see cref="IObjectQuery"/> beside <c>IPackedQuery</c>; and <see cref="ElementWriter"/> gets a case
/// that makes the changes in the kind's trees. Locks, memory, journal, files, conversion, removal and eviction are the
/// same for all kinds.
/// </remarks>
internal interface IObjectEdit
{
    /// <summary>
    /// Of a stream: whether its entries stay as they are, since the edit changes a group, or what is known of ids.
    /// </summary>
    static virtual bool KeepsEntries => false;

    /// <summary>
    /// Decides what becomes of the elements, of at most <see cref="ElementChanges.CountMax"/>. The object is held, and
    /// nothing is changed. It may be called again: an obstacle was met, and nothing was done.
    /// </summary>
    /// <returns>Done, and the changes are made; or why none is.</returns>
    WriteStatus Plan(scoped in ObjectView view, ElementChanges changes);

    /// <summary>
    /// Puts its long values into blocks, in the order in which a plan puts them; an edit without long ones does
    /// nothing. Called where a plan met one without a block, and before the next plan; nothing is held.
    /// </summary>
    void Prepare(scoped ref LongElementMaker maker);

    /// <summary>Tells how many elements were added and removed, once that is done.</summary>
    void Note(int added, int removed);
}
