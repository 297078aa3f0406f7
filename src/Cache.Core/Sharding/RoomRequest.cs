namespace Cache.Core.Sharding;

/// <summary>Room that a write needs.</summary>
/// <param name="Bytes">How many bytes.</param>
/// <param name="SpareBytes">How many it leaves of the limit.</param>
/// <param name="KeptHash">The key whose entry stays: what a write reads must not go because of it; 0: none.</param>
/// <param name="OtherKeptHash">Another such key.</param>
/// <param name="Held">What the write has taken already.</param>
/// <param name="IsLast">Whether it needs this alone to end, so that what it holds can be evicted again.</param>
internal readonly record struct RoomRequest(
    long Bytes, long SpareBytes, ulong KeptHash, ulong OtherKeptHash, HeldBytes Held, bool IsLast)
{
    public long EnoughBytes => Bytes + SpareBytes;
}
