namespace Cache.Core.Layout;

/// <summary>What pays for the slabs of <see cref="TreePages"/>.</summary>
/// <param name="TryTake">
/// Takes so many bytes, or refuses. It is called by who takes a page, perhaps under the lock of a collection, and under
/// none of the pages: it must not wait.
/// </param>
/// <param name="Give">Takes so many bytes back; called by who gives the last page of a slab back.</param>
internal sealed record SlabBudget(Func<long, bool> TryTake, Action<long> Give)
{
    /// <summary>As many slabs as there are addresses.</summary>
    public static SlabBudget Unlimited { get; } = new(static _ => true, static _ => { });
}
