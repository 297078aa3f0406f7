using Cache.Core;

namespace Cache.Server.Commands.Sorting;

/// <summary>The result of a sort, as the elements of the list that is stored; an absent text is an empty one.</summary>
internal readonly struct SortedTexts(SortTexts texts) : IKeySource
{
    public int Count => texts.Count;

    public ReadOnlySpan<byte> GetKey(int index) => texts[index];
}
