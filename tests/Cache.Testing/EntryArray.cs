using Cache.Core;

namespace Cache.Testing;

/// <summary>Keys and values for <see cref="Core.CacheStore.SetMany"/>.</summary>
internal readonly struct EntryArray(params (byte[] Key, byte[] Value)[] entries) : IEntrySource
{
    public int Count => entries.Length;

    public ReadOnlySpan<byte> GetKey(int index) => entries[index].Key;

    public ReadOnlySpan<byte> GetValue(int index) => entries[index].Value;
}
