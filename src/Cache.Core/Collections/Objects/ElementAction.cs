namespace Cache.Core.Collections.Objects;

/// <summary>What becomes of one element. The numbers are those in files.</summary>
internal enum ElementAction : byte
{
    /// <summary>It is there, with this value, whatever it had before; the field of a hash does not expire.</summary>
    Put = 1,

    /// <summary>It is gone.</summary>
    Drop = 2,

    /// <summary>
    /// If it is there, the field of a hash expires at a moment, Unix milliseconds in 8 bytes; at 0 never.
    /// </summary>
    Expire = 3,
}
