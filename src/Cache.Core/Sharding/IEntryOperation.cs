namespace Cache.Core.Sharding;

/// <summary>
/// What a write does with a locked entry; a struct type argument, so that the call is no interface call.
/// </summary>
internal interface IEntryOperation
{
    /// <summary>
    /// Runs under the lock; may run again if it met an obstacle, in which case it has changed nothing.
    /// </summary>
    WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry);
}
