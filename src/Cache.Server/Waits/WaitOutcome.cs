namespace Cache.Server.Waits;

/// <summary>What became of an attempt to serve a waiter.</summary>
internal enum WaitOutcome : byte
{
    /// <summary>Its reply is written: it waits no more.</summary>
    Served,

    /// <summary>The key has nothing for it, and so for no other that waits for the same kind.</summary>
    Empty,

    /// <summary>The key has nothing for it, but perhaps for those behind it.</summary>
    Unmet,

    /// <summary>
    /// It must make the attempt itself, since that is too much work for the thread of another, or failed there.
    /// </summary>
    Itself,
}
