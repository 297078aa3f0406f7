using Cache.Server.Clients;

namespace Cache.Server.Tracking;

/// <summary>Tells clients of changed keys, as Redis does (sendTrackingMessage).</summary>
/// <param name="clients">The clients that are connected.</param>
internal sealed class InvalidationSender(ClientRegistry clients)
{
    /// <summary>Tells a client, or the one that it named instead.</summary>
    public void Send(ClientSession client, ClientTracking tracking, InvalidationFrames frames)
    {
        if (tracking.Redirection == 0)
        {
            Push(client, tracking, frames.Push);
            return;
        }

        var target = clients.Find(tracking.Redirection);
        if (target is null)
        {
            tracking.IsRedirectionBroken = true;
            Push(client, tracking, InvalidationFrames.BrokenRedirection(tracking.Redirection));
        }
        else
        {
            var message = new RedirectedPush(target, frames);
            target.Outbox?.TryPost(ref message, ticket: null);
        }
    }

    /// <summary>Tells a client that all keys have changed.</summary>
    public void SendAll(ClientSession client, ClientTracking tracking) =>
        Send(client, tracking, client.ProtocolVersion > 2 ? InvalidationFrames.All3 : InvalidationFrames.All2);

    private static void Push(ClientSession client, ClientTracking tracking, byte[] push)
    {
        if (client.ProtocolVersion < 3)
            return;
        var message = new InvalidationPush(push);
        client.Outbox?.TryPost(ref message, tracking.Ticket);
    }
}
