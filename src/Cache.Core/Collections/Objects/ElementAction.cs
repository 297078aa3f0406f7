namespace Cache.Core.Collections.Objects;

/// <summary>What becomes of one element. The numbers are those in files.</summary>
internal enum ElementAction : byte
{
    /// <summary>
    /// It is there, with this value, whatever it had before; the field of a hash does not expire. Of a list: it is
    /// added at a position.
    /// </summary>
    Put = 1,

    /// <summary>It is gone. Of a list: so many are gone from a position on.</summary>
    Drop = 2,

    /// <summary>Of a list: it is the element at a position, instead of the one that was there.</summary>
    Replace = 3,

    /// <summary>Of a list: the element at a position moves to another one.</summary>
    Move = 4,

    /// <summary>
    /// If it is there, the field of a hash expires at a moment, Unix milliseconds in 8 bytes; at 0 never.
    /// </summary>
    Expire = 5,
}
