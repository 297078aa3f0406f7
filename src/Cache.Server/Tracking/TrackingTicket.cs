using Cache.Server.Clients;

namespace Cache.Server.Tracking;

/// <summary>The right to tell a client of changed keys; void once it has turned that off.</summary>
internal sealed class TrackingTicket : PushTicket;
