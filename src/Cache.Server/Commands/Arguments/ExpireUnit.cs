namespace Cache.Server.Commands.Arguments;

/// <summary>The unit of a client's time argument; None: there is no such argument.</summary>
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
