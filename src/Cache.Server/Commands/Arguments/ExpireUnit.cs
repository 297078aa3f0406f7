namespace Cache.Server.Commands.Arguments;

/// <summary>How a client states when an entry expires; None: it does not.</summary>
internal enum ExpireUnit
{
    None,

    /// <summary>EX: seconds from now.</summary>
    Seconds,

    /// <summary>PX: milliseconds from now.</summary>
    Milliseconds,

    /// <summary>EXAT: Unix time in seconds.</summary>
    UnixSeconds,

    /// <summary>PXAT: Unix time in milliseconds.</summary>
    UnixMilliseconds,
}
