namespace Cache.Server.Clients;

/// <summary>A message for many clients, framed once for each version of the protocol.</summary>
internal interface IPushMessage
{
    /// <summary>
    /// The message as it is sent, which does not change afterwards; empty: the client gets none. Called under the gate
    /// of the client's <see cref="Outbox"/>.
    /// </summary>
    ReadOnlyMemory<byte> Frame(int protocolVersion);
}
