namespace Cache.Server.Clients;

/// <summary>The modes of CLIENT TRACKING.</summary>
[Flags]
internal enum TrackingModes
{
    /// <summary>The keys that it reads are remembered.</summary>
    None = 0,

    /// <summary>It is told of all changed keys with its prefixes.</summary>
    Broadcast = 1,

    /// <summary>Only what it reads behind CLIENT CACHING YES is remembered.</summary>
    OptIn = 2,

    /// <summary>What it reads behind CLIENT CACHING NO is not remembered.</summary>
    OptOut = 4,

    /// <summary>It is not told of its own changes.</summary>
    NoLoop = 8,
}
