namespace Cache.Core;

/// <summary>Keys whose values are lists.</summary>
public sealed partial class CacheStore
{
    /// <summary>The list of a key: ordered elements. Nothing is read or made yet.</summary>
    /// <param name="key">The key; its bytes are used while the result is.</param>
    public ListKey List(ReadOnlySpan<byte> key)
    {
        ThrowIfDisposed();
        return new ListKey(this, KeyOf(key));
    }

    /// <summary>Whether this is the view of a transaction.</summary>
    internal bool IsTransaction => _transaction is not null;
}
