using Cache.Core;

namespace Cache.Scripting.Tests;

/// <summary>Whether a caller in process sees the same value at two keys, a and b.</summary>
internal struct Pair : ITransaction
{
    public bool AreEqual { get; private set; }

    public readonly int KeyCount => 2;

    public readonly int WriteCount => 0;

    public readonly long WrittenBytes => 0;

    public readonly ReadOnlySpan<byte> GetKey(int index) => index == 0 ? "a"u8 : "b"u8;

    public readonly int GetKeyspace(int index) => 0;

    public void Run(CacheStore store) =>
        AreEqual = (store.GetArray("a"u8) ?? []).AsSpan().SequenceEqual(store.GetArray("b"u8) ?? []);
}
