namespace Cache.Core.Layout;

/// <summary>What pays for the slabs of <see cref="TreePages"/>.</summary>
/// <param name="TryTake">
/// Takes so many bytes, or refuses. The flag is whether it may give a bounded part more than it has: a removal under a
/// snapshot copies pages, and is the way to free memory. It is called by who takes a page, perhaps under the lock of a
/// collection, in the middle of a write and under no gate of the pages: it must not wait, throw, or change a tree.
/// </param>
/// <param name="Give">Takes so many bytes back; called by who gives a slab's last page back. The same holds.</param>
internal sealed record SlabBudget(Func<long, bool, bool> TryTake, Action<long> Give)
{
    /// <summary>As many slabs as there are addresses.</summary>
    public static SlabBudget Unlimited { get; } = new(static (_, _) => true, static _ => { });
}
