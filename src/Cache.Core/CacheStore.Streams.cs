namespace Cache.Core;

/// <summary>Keys whose values are streams.</summary>
public sealed partial class CacheStore
{
    /// <summary>The stream of a key: entries in the order of their ids. Nothing is read or made yet.</summary>
    /// <param name="key">The key; its bytes are used while the result is.</param>
    public StreamKey Stream(ReadOnlySpan<byte> key)
    {
        ThrowIfDisposed();
        return new StreamKey(_state, _refusedWrites, KeyOf(key));
    }
}
