namespace Cache.Server.Security;

/// <summary>Requests of one kind that were denied one after the other.</summary>
/// <param name="Denial">Why.</param>
/// <param name="Object">The command, the key, or how it was tried to authenticate; a char is a byte.</param>
/// <param name="UserName">Who; a char is a byte.</param>
internal sealed record AclLogEntry(AclDenial Denial, string Object, string UserName)
{
    /// <summary>How many.</summary>
    public int Count { get; set; } = 1;

    /// <summary>When the last of them was, in milliseconds of the store's clock.</summary>
    public long AtMs { get; set; }

    /// <summary>The client of the last of them, as CLIENT LIST shows it; a char is a byte.</summary>
    public string Client { get; set; } = "";
}
