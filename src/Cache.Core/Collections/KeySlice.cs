namespace Cache.Core.Collections;

/// <summary>Some names of a source that follow each other: those of one step.</summary>
internal ref struct KeySlice<TNames>(TNames names, int from, int count) : IKeySource
    where TNames : struct, IKeySource, allows ref struct
{
    /// <summary>The caller's source.</summary>
    public TNames Names = names;

    public readonly int Count => count;

    public ReadOnlySpan<byte> GetKey(int index) => Names.GetKey(from + index);
}
