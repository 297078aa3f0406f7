namespace Cache.Protocol;

/// <summary>The result of an attempt to read a token.</summary>
internal enum RespTokenStatus
{
    Complete,

    /// <summary>The input ends within it.</summary>
    Incomplete,

    /// <summary>It is not RESP, or beyond the bounds. What follows means nothing.</summary>
    Malformed,
}
