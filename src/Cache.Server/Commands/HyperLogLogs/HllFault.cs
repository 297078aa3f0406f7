namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>Why a value is no HyperLogLog.</summary>
internal enum HllFault
{
    None,

    /// <summary>It is of another kind than a string.</summary>
    OtherKind,

    /// <summary>It is another string.</summary>
    OtherString,

    /// <summary>Its registers are not all there, or more.</summary>
    Damaged,
}
