namespace Cache.Near;

/// <summary>How a server learns which keys are to be told of.</summary>
public enum NearTracking
{
    /// <summary>
    /// All keys with the prefixes, read here or not: the server remembers no keys, and sends each change to each
    /// process.
    /// </summary>
    Broadcast,

    /// <summary>
    /// The keys that were read here: the server remembers them, and sends a change to those processes that have the
    /// key.
    /// </summary>
    PerKey,
}
