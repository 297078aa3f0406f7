namespace Cache.Server.Clients;

/// <summary>A message for many clients, framed once for each version of the protocol.</summary>
internal interface IPushMessage
{
    /// <summary>The message as it is sent; it does not change afterwards.</summary>
    ReadOnlyMemory<byte> Frame(int protocolVersion);
}
