using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Popping;

/// <summary>How a family takes elements from one of the two ends of a key's collection.</summary>
/// <remarks>A struct, for which the frame is compiled: no call goes through the interface.</remarks>
internal interface IPop<TSelf>
    where TSelf : struct, IPop<TSelf>
{
    /// <summary>The kind of its keys.</summary>
    static abstract EntryKind Kind { get; }

    /// <summary>The word for the end with the first elements.</summary>
    static abstract ReadOnlySpan<byte> FirstWord { get; }

    /// <summary>The word for the end with the last elements.</summary>
    static abstract ReadOnlySpan<byte> LastWord { get; }

    /// <summary>How many texts of the list an element is.</summary>
    static abstract int TextsPerElement { get; }

    /// <summary>A larger collection is one of pages.</summary>
    static abstract long SmallBytesMax { get; }

    /// <summary>The most bytes that a step writes which takes elements of a large collection.</summary>
    static abstract long StepBytesMax { get; }

    /// <summary>The pop from the end with the last elements, or the first.</summary>
    static abstract TSelf Of(bool isLast);

    /// <summary>Whether so many keys, or such, are too much work for this thread.</summary>
    static abstract bool TryGiveWay(RequestSlice keys, CommandContext context);

    /// <summary>The reply: the key, and its elements.</summary>
    static abstract void Reply(ReadOnlySpan<byte> key, ByteStringList taken, RespReplyWriter reply);

    /// <summary>The reply of a command that takes one element.</summary>
    static abstract void ReplyOne(ReadOnlySpan<byte> key, ByteStringList taken, RespReplyWriter reply);

    /// <summary>Takes elements of a key.</summary>
    WriteStatus Take(CacheStore store, ReadOnlySpan<byte> key, long count, ByteStringList taken);
}
