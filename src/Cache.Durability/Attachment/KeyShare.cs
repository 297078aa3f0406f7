using Cache.Durability.Format;

namespace Cache.Durability.Attachment;

/// <summary>One of several shares of all keys; by default all of them.</summary>
/// <param name="Index">Its number.</param>
/// <param name="Count">The number of shares.</param>
internal readonly record struct KeyShare(int Index, int Count)
{
    public bool Has(ReadOnlySpan<byte> key) => Count <= 1 || Crc32C.Of(key) % (uint)Count == (uint)Index;
}
