namespace Cache.Core.Packing;

/// <summary>What becomes of a value that is moved to main.</summary>
internal enum PackStep
{
    /// <summary>It is moved as it is.</summary>
    None,

    /// <summary>It is compressed, or compressed again with the present dictionary.</summary>
    Pack,

    /// <summary>It is kept as it was written.</summary>
    Unpack,
}
