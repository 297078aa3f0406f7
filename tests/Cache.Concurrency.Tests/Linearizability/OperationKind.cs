namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>What was done to a key.</summary>
internal enum OperationKind
{
    /// <summary>A read; Succeeded: there was a value, in Result.</summary>
    Get,

    /// <summary>A read that also took the version, for the thread's next SetIfUnchanged.</summary>
    GetVersion,

    /// <summary>A write in any case, of Argument.</summary>
    Set,

    /// <summary>A write if the key is absent; Succeeded: it was.</summary>
    SetIfAbsent,

    /// <summary>A write if none took place since the thread's last GetVersion; a refusal may have any reason.</summary>
    SetIfUnchanged,

    /// <summary>A write that took the previous value; Succeeded: there was one, in Result.</summary>
    Exchange,

    /// <summary>An addition of Argument; Result is the sum.</summary>
    Increment,

    /// <summary>A removal; Succeeded: there was an entry.</summary>
    Remove,

    /// <summary>A removal that took the value; Succeeded: there was one, in Result.</summary>
    TryRemove,

    /// <summary>A removal of all keys at one moment.</summary>
    Clear,
}
