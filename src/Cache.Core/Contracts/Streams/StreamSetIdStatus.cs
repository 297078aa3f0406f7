namespace Cache.Core;

/// <summary>Whether a stream takes a last id.</summary>
public enum StreamSetIdStatus
{
    /// <summary>It is set, unless the status of the write says otherwise.</summary>
    Set,

    /// <summary>There is an entry with a greater id.</summary>
    BelowEntries,

    /// <summary>The stream has more entries than it would ever have had.</summary>
    AddedBelowLength,
}
