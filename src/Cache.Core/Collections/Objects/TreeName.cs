using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>A name as a tree has it: itself, or the stub of a long one; to find a long one, its ordered part.</summary>
internal readonly ref struct TreeName(ReadOnlySpan<byte> bytes, bool isStub)
{
    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    public bool IsStub => isStub;

    /// <summary>What it is found by.</summary>
    public ReadOnlySpan<byte> Ordered => isStub ? NameStub.OrderedPartOf(Bytes) : Bytes;

    /// <summary>An element with a value.</summary>
    public TreeEntry With(ReadOnlySpan<byte> value, bool isValueStub = false, long moment = 0) =>
        new(Bytes, value, isStub, isValueStub, moment);
}
