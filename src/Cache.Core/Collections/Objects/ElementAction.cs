namespace Cache.Core.Collections.Objects;

/// <summary>What becomes of one element. The numbers are those in files.</summary>
internal enum ElementAction : byte
{
    /// <summary>It is there, with this value, whatever it had before.</summary>
    Put = 1,

    /// <summary>It is gone.</summary>
    Drop = 2,
}
