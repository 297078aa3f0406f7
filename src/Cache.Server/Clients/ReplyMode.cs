namespace Cache.Server.Clients;

/// <summary>Whether a client gets replies.</summary>
/// <remarks>CLIENT REPLY SKIP: Normal → SkipNext → (its end) Skip → (the next command's end) Normal.</remarks>
internal enum ReplyMode
{
    Normal,

    /// <summary>The next command gets no reply.</summary>
    SkipNext,

    /// <summary>The present command gets no reply.</summary>
    Skip,

    /// <summary>No command gets a reply, until CLIENT REPLY ON.</summary>
    Off,
}
