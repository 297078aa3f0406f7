namespace Cache.Core.Collections.Trees;

/// <summary>Where a write keeps its path and its plan: one for each thread, since clearing one would take as long as
/// finding an element.</summary>
/// <remarks>A thread has one write at a time. Between two, the plan is empty.</remarks>
internal sealed class TreeScratch
{
    [ThreadStatic]
    private static TreeScratch? _ofThread;

    private TreePath _path;
    private PagePlan _plan;

    public static TreeScratch OfThread => _ofThread ??= new TreeScratch();

    public ref TreePath Path => ref _path;

    public ref PagePlan Plan => ref _plan;
}
