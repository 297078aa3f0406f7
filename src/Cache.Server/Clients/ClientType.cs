namespace Cache.Server.Clients;

/// <summary>The kinds of clients that Redis distinguishes. All clients of this server are normal ones.</summary>
internal enum ClientType
{
    Normal,
    Replica,
    PubSub,
    Master,
}
