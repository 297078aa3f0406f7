namespace Cache.Near;

/// <summary>How an entry is stored on the server.</summary>
public enum NearLayout
{
    /// <summary>
    /// A hash with absexp, sldexp and data, as Microsoft.Extensions.Caching.StackExchangeRedis has it: both share
    /// entries.
    /// </summary>
    Microsoft,

    /// <summary>A string. It has no sliding expiration.</summary>
    Plain,
}
