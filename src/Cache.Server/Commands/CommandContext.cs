using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands;

/// <summary>What a command may touch: its client, the keyspace that the client selected, the reply, the server. One per connection.</summary>
/// <remarks>Used by one thread at a time, that of the connection's read.</remarks>
internal sealed class CommandContext(ServerState server, ClientSession client, RespReplyWriter reply)
{
    public ServerState Server { get; } = server;

    public ClientSession Client { get; } = client;

    /// <summary>Takes the reply of the present command.</summary>
    public RespReplyWriter Reply { get; } = reply;

    /// <summary>The keyspace that the client selected.</summary>
    public CacheStore Store { get; set; } = server.Store;
}
