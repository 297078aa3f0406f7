namespace Cache.Server.Package;

/// <summary>What a package tells of keys.</summary>
internal enum KeyExposure
{
    /// <summary>A hash with a secret that is thrown away: the same key has the same hash within a package.</summary>
    Hash,

    /// <summary>The first two parts, up to a colon each, and the hash of all.</summary>
    Prefix,

    /// <summary>The key.</summary>
    Plain,
}
