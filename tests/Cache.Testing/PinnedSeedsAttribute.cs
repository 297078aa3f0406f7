namespace Cache.Testing;

/// <summary>Seeds on which a random test failed once; <see cref="RandomSeed"/> runs them before a fresh one.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class PinnedSeedsAttribute(params int[] seeds) : Attribute
{
    public IReadOnlyList<int> Seeds { get; } = seeds;
}
