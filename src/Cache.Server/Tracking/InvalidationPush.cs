using Cache.Server.Clients;

namespace Cache.Server.Tracking;

/// <summary>A message about changed keys to the client that tracks them.</summary>
/// <remarks>In RESP2 it cannot be told, and gets nothing.</remarks>
internal readonly struct InvalidationPush(byte[] push) : IPushMessage
{
    public ReadOnlyMemory<byte> Frame(int protocolVersion) => protocolVersion > 2 ? push : default;
}
