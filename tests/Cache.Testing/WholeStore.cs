using Cache.Core;

namespace Cache.Testing;

/// <summary>What must hold of a store whatever was done to it.</summary>
internal static class WholeStore
{
    /// <exception cref="InvalidOperationException">Its counts are not those of its entries.</exception>
    public static void RequireWhole(this CacheStore store) => store.Validate();
}
