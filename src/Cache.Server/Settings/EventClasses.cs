namespace Cache.Server.Settings;

/// <summary>The classes of keyspace events, and the two kinds of channels that tell them.</summary>
[Flags]
internal enum EventClasses
{
    None = 0,

    /// <summary>K: a channel for each key.</summary>
    KeyChannels = 1,

    /// <summary>E: a channel for each event.</summary>
    EventChannels = 1 << 1,

    /// <summary>g: what any key may meet.</summary>
    Generic = 1 << 2,

    /// <summary>$</summary>
    Strings = 1 << 3,

    /// <summary>l</summary>
    Lists = 1 << 4,

    /// <summary>s</summary>
    Sets = 1 << 5,

    /// <summary>h</summary>
    Hashes = 1 << 6,

    /// <summary>z</summary>
    SortedSets = 1 << 7,

    /// <summary>x: an expiry has passed.</summary>
    Expired = 1 << 8,

    /// <summary>e: a key was evicted.</summary>
    Evicted = 1 << 9,

    /// <summary>t</summary>
    Streams = 1 << 10,

    /// <summary>d: modules, which this server has not.</summary>
    Modules = 1 << 11,

    /// <summary>n: a key came.</summary>
    New = 1 << 12,

    /// <summary>m: a read found no key.</summary>
    KeyMiss = 1 << 13,

    /// <summary>A: all but n and m.</summary>
    All = Generic | Strings | Lists | Sets | Hashes | SortedSets | Expired | Evicted | Streams | Modules,

    /// <summary>Either kind of channels.</summary>
    Channels = KeyChannels | EventChannels,
}
