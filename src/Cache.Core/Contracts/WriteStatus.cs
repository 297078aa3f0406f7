namespace Cache.Core;

/// <summary>What became of a write. Every status but <see cref="Done"/> means that nothing was changed.</summary>
public enum WriteStatus
{
    /// <summary>The write took place.</summary>
    Done,

    /// <summary>The key has no live entry, and the write needs one.</summary>
    NotFound,

    /// <summary>The condition of the write does not hold.</summary>
    ConditionNotMet,

    /// <summary>The value is not a 64-bit integer in its canonical decimal form.</summary>
    NotAnInteger,

    /// <summary>The result would not fit 64 bits.</summary>
    Overflow,

    /// <summary>The memory limit is reached and nothing may be evicted.</summary>
    OutOfMemory,

    /// <summary>The value is longer than the store takes.</summary>
    ValueTooLong,

    /// <summary>The key is longer than <see cref="CacheStore.KeyLengthMax"/>.</summary>
    KeyTooLong,

    /// <summary>The entry is of another kind than the write is for.</summary>
    WrongType,
}
