namespace Cache.Server.Clients;

/// <summary>The right to push to a client; void once the client has ended it.</summary>
/// <remarks>
/// Written and read under the gate of the client's <see cref="Outbox"/>: so no message comes behind the end.
/// </remarks>
internal abstract class PushTicket
{
    /// <summary>Whether it has ended.</summary>
    public bool IsVoid { get; set; }
}
