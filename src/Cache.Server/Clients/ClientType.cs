namespace Cache.Server.Clients;

/// <summary>The kinds of clients that Redis distinguishes; this server has normal ones and those of channels.</summary>
internal enum ClientType
{
    Normal,
    Replica,
    PubSub,
    Master,
}
