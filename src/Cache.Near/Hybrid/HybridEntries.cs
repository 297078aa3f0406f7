using Cache.Core.Hybrid;
using Cache.Near.Entries;

namespace Cache.Near.Hybrid;

/// <summary>The values of a hybrid cache as the links see them: by the keys of the servers.</summary>
/// <remarks>
/// Everything is of the past when anything may have been missed: the cache has one generation, and no slots.
/// </remarks>
internal sealed class HybridEntries(byte[] prefix) : ILocalEntries
{
    private volatile StoreHybridCache? _cache;
    private volatile PrefixProof? _proof;
    private volatile Action? _restarted;

    /// <summary>The cache; null: it is not made yet.</summary>
    public StoreHybridCache? Cache
    {
        get => _cache;
        set => _cache = value;
    }

    /// <summary>A write that is waited for; null: none.</summary>
    public PrefixProof? Proof
    {
        get => _proof;
        set => _proof = value;
    }

    /// <summary>Called before what another link proves counts.</summary>
    public Action? Restarted
    {
        get => _restarted;
        set => _restarted = value;
    }

    public bool Drop(ReadOnlySpan<byte> key)
    {
        if (!key.StartsWith(prefix))
            return false;
        var own = key[prefix.Length..];
        _proof?.See(own);
        return _cache?.Invalidate(own) == true;
    }

    public void Clear() => _cache?.InvalidateAll();

    public void Restart()
    {
        _restarted?.Invoke();
        Clear();
    }

    public void Sweep(bool[] isSwept) => Clear();
}
