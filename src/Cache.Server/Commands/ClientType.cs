namespace Cache.Server.Commands;

/// <summary>The kinds of clients that Redis tells apart. All clients of this server are normal ones.</summary>
internal enum ClientType
{
    Normal,
    Replica,
    PubSub,
    Master,
}
