namespace Cache.Core.ManyKeys;

/// <summary>What is done while several keys are locked; a struct type argument.</summary>
internal interface ILockedKeysBody
{
    /// <summary>
    /// Reads and changes the keys; as seen by others, all of it at one moment. Does not wait; calls no foreign code.
    /// </summary>
    /// <remarks>
    /// May run again from the beginning: when a change of a key returns false, the body ends at once with any status,
    /// what it did is undone, and it is run anew.
    /// </remarks>
    /// <returns>Done: the changes take place. Anything else: none does.</returns>
    WriteStatus Run(ref LockedKeys keys);
}
