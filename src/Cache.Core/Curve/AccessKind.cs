namespace Cache.Core.Curve;

/// <summary>What was done with a key.</summary>
internal enum AccessKind
{
    /// <summary>It was read, and had an entry.</summary>
    Hit,

    /// <summary>It was read, and had none.</summary>
    Miss,

    /// <summary>Its entry was written.</summary>
    Write,

    /// <summary>Its entry was removed, or had expired when it was looked for.</summary>
    Removal,
}
