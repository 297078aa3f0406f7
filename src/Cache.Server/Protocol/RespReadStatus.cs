namespace Cache.Server.Protocol;

/// <summary>The result of an attempt to read a request.</summary>
internal enum RespReadStatus
{
    /// <summary>A request is complete.</summary>
    Complete,

    /// <summary>The input ends within a request.</summary>
    Incomplete,

    /// <summary>
    /// A request without arguments was passed over: a blank line, or an array of none. It gets no reply.
    /// </summary>
    Skipped,

    /// <summary>A request whose arguments are no longer wanted was passed over. It gets an error.</summary>
    Refused,

    /// <summary>The input is not RESP. The connection replies with the error and closes.</summary>
    ProtocolError,
}
