namespace Cache.Server.Security;

/// <summary>Equal requests that were denied within a time.</summary>
/// <param name="Denial">The reason.</param>
/// <param name="Object">The command, the key, or the way of authentication; a char is a byte.</param>
/// <param name="UserName">The user's name; a char is a byte.</param>
internal sealed record AclLogEntry(AclDenial Denial, string Object, string UserName)
{
    /// <summary>Where they were denied.</summary>
    public AclLogPlace Place { get; init; }

    /// <summary>The number of requests.</summary>
    public int Count { get; set; } = 1;

    /// <summary>When the last one was denied, in milliseconds of the store's clock.</summary>
    public long AtMs { get; set; }

    /// <summary>The client of the last one, as CLIENT LIST shows it; a char is a byte.</summary>
    public string Client { get; set; } = "";
}
