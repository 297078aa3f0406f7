namespace Cache.Core;

/// <summary>What became of an entry.</summary>
public enum StreamAppendStatus
{
    /// <summary>It was appended, unless the status of the write says otherwise.</summary>
    Appended,

    /// <summary>Its id is not greater than that of an entry which the stream has, or had.</summary>
    IdTooSmall,

    /// <summary>The stream has had the greatest id.</summary>
    IdsExhausted,
}
