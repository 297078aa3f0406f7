namespace Cache.Server.Commands.Bits;

/// <summary>The operations of BITOP.</summary>
internal enum BitLogic
{
    And,
    Or,
    Xor,
    Not,
}
