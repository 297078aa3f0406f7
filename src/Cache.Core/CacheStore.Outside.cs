namespace Cache.Core;

/// <summary>Memory that is held elsewhere because of this store.</summary>
public sealed partial class CacheStore
{
    /// <summary>
    /// Counts bytes that its user holds because of the store, such as replies that wait for a slow reader, against the
    /// limit of all keyspaces: entries make room for them within a tenth of a second, or writes are refused, as the
    /// policy says.
    /// </summary>
    /// <param name="bytes">How many more; negative: how many fewer.</param>
    public void AddOutsideBytes(long bytes) => _state.Budget.AddOutside(bytes);
}
