namespace Cache.Core;

/// <summary>Which values a store keeps compressed once its memory limit is reached.</summary>
public enum ValueCompression
{
    /// <summary>None. The default.</summary>
    Off = 0,

    /// <summary>Those that stay and are used seldom: values in frequent use are kept as written.</summary>
    Cold = 1,

    /// <summary>All that stay.</summary>
    All = 2,
}
