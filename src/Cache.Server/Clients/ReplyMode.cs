namespace Cache.Server.Clients;

/// <summary>Whether a client gets replies.</summary>
/// <remarks>CLIENT REPLY SKIP: Normal → SkipNext → (its own end) Skip → (the next command's end) Normal.</remarks>
internal enum ReplyMode
{
    Normal,

    /// <summary>The next command's reply is left out.</summary>
    SkipNext,

    /// <summary>The present command's reply is left out.</summary>
    Skip,

    /// <summary>None, until CLIENT REPLY ON.</summary>
    Off,
}
