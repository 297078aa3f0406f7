namespace Cache.Core;

/// <summary>Memory that is held elsewhere because of this store.</summary>
public sealed partial class CacheStore
{
    /// <summary>
    /// Counts bytes that the store's user holds, such as replies for a slow reader, against the limit of all keyspaces:
    /// entries are evicted for them within a tenth of a second, or writes are refused, depending on the policy.
    /// </summary>
    /// <param name="bytes">The change; negative if fewer bytes are held.</param>
    public void AddOutsideBytes(long bytes) => _state.Budget.AddOutside(bytes);
}
