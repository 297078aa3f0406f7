namespace Cache.Server.Commands;

/// <summary>What a server knows of one client beside its socket.</summary>
internal sealed class ClientSession
{
}
