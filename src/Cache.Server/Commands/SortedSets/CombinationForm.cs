using Cache.Core;

namespace Cache.Server.Commands.SortedSets;

/// <summary>One of the commands that combine sorted sets.</summary>
/// <param name="combination">What it does.</param>
/// <param name="name">Its name, for an error.</param>
/// <param name="isStore">Whether it writes the result to a key.</param>
/// <param name="isCount">Whether it only counts the result.</param>
internal readonly ref struct CombinationForm(
    SetCombination combination, ReadOnlySpan<byte> name, bool isStore = false, bool isCount = false)
{
    public SetCombination Combination => combination;

    public ReadOnlySpan<byte> Name { get; } = name;

    public bool IsCount => isCount;

    public bool HasWeights => combination != SetCombination.Difference && !isCount;

    public bool MayHaveScores => !isStore && !isCount;
}
