namespace Cache.Core;

/// <summary>The result of a read of a value.</summary>
public enum ReadStatus
{
    /// <summary>The key has no live entry.</summary>
    NotFound = 0,

    /// <summary>The value was read.</summary>
    Found = 1,

    /// <summary>The entry is of another kind than a string; nothing was read.</summary>
    WrongType = 2,
}
