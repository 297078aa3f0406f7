using Cache.Server.Clients;

namespace Cache.Server.Tracking;

/// <summary>A message about changed keys to a client that another one has named.</summary>
/// <remarks>
/// In RESP2 only a subscriber can tell it from a reply. Whether the client is one is looked at under the gate of its
/// outbox: before it confirms the end of its last subscription, or HELLO, it takes what is there, so no message of
/// before comes behind.
/// </remarks>
internal readonly struct RedirectedPush(ClientSession target, InvalidationFrames frames) : IPushMessage
{
    public ReadOnlyMemory<byte> Frame(int protocolVersion)
    {
        if (protocolVersion > 2)
            return frames.Push;
        return target.IsSubscriber ? frames.Message : default;
    }
}
