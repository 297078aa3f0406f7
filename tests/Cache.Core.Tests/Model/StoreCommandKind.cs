namespace Cache.Core.Tests.Model;

/// <summary>Every operation of the store, and the passing of time.</summary>
internal enum StoreCommandKind
{
    Advance,
    Get,
    GetRange,
    GetInfo,
    PeekInfo,
    GetAndExpire,
    GetMany,
    Set,
    SetInteger,
    SetAndGetPrevious,
    TakeVersion,
    SetIfUnchanged,
    SetRange,
    Append,
    ChangeBits,
    Increment,
    Expire,
    Persist,
    Remove,
    TryRemove,
    SetMany,
    Rename,
    Copy,
    Move,
    Clear,
    Scan,
    RandomKey,
}
