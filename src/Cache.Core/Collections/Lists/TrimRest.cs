namespace Cache.Core.Collections.Lists;

/// <summary>What the next steps of a trim remove, counted as places are (<see cref="ListPlace"/>).</summary>
internal record struct TrimRest
{
    /// <summary>The list's last change.</summary>
    public ulong Change { get; init; }

    /// <summary>Whether all elements go at once, with the key.</summary>
    public bool IsAll { get; init; }

    public (long From, long End) Left { get; set; }

    public (long From, long End) Right { get; set; }

    /// <summary>Whether nothing is left.</summary>
    public readonly bool IsNone => Left.From >= Left.End && Right.From >= Right.End;
}
