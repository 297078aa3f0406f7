namespace Cache.Server.Protocol;

/// <summary>What a try to read a request came to.</summary>
internal enum RespReadStatus
{
    /// <summary>A request is there.</summary>
    Complete,

    /// <summary>The input ends inside of a request.</summary>
    Incomplete,

    /// <summary>
    /// A request without arguments was passed over: a blank line, or an array of none. It gets no reply.
    /// </summary>
    Skipped,

    /// <summary>A request was passed over whose arguments nobody wanted any more. It gets an error.</summary>
    Refused,

    /// <summary>The input is not RESP. The connection replies with the error and closes.</summary>
    ProtocolError,
}
