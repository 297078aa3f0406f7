namespace Cache.Core;

/// <summary>The result of a write. Every status but <see cref="Done"/> means that nothing was changed.</summary>
public enum WriteStatus
{
    /// <summary>The write was made.</summary>
    Done,

    /// <summary>The key has no live entry, and the write needs one.</summary>
    NotFound,

    /// <summary>The condition of the write does not hold.</summary>
    ConditionNotMet,

    /// <summary>The value is not a 64-bit integer in its canonical decimal form.</summary>
    NotAnInteger,

    /// <summary>The result would not fit in 64 bits.</summary>
    Overflow,

    /// <summary>The memory limit is reached and no entry may be evicted.</summary>
    OutOfMemory,

    /// <summary>The value is longer than the store accepts.</summary>
    ValueTooLong,

    /// <summary>The key is longer than <see cref="CacheStore.KeyLengthMax"/>.</summary>
    KeyTooLong,

    /// <summary>The entry is of another kind than the write expects.</summary>
    WrongType,

    /// <summary>The collection, or an element of a large one, would become longer than the store can hold.</summary>
    CollectionTooLong,
}
