namespace Cache.Server.Commands.Bits;

/// <summary>What BITOP does with the bits of its sources.</summary>
internal enum BitLogic
{
    And,
    Or,
    Xor,
    Not,
}
