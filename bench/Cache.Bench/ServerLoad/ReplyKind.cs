namespace Cache.Bench.ServerLoad;

/// <summary>What the server said to one request.</summary>
internal enum ReplyKind
{
    /// <summary>More bytes are needed to tell.</summary>
    Incomplete,

    /// <summary>A value, which is the key's own.</summary>
    Hit,

    /// <summary>There is no such key.</summary>
    Miss,

    /// <summary>The value was stored.</summary>
    Stored,

    /// <summary>An error, a value that is not the key's own, or a reply that does not belong to the request.</summary>
    Wrong,
}
