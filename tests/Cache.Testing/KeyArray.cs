using Cache.Core;

namespace Cache.Testing;

/// <summary>Keys for <see cref="Core.CacheStore.GetMany"/>.</summary>
internal readonly struct KeyArray(params byte[][] keys) : IKeySource
{
    public int Count => keys.Length;

    public ReadOnlySpan<byte> GetKey(int index) => keys[index];
}
