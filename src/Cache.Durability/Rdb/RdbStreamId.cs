namespace Cache.Durability.Rdb;

/// <summary>The id of an entry of a stream: a time, and a number.</summary>
internal readonly record struct RdbStreamId(ulong Milliseconds, ulong Sequence)
{
    /// <summary>Of all bits, with the process's secret: a file has any ids, and none can be made to collide.</summary>
    public override int GetHashCode() => HashCode.Combine(
        (uint)Milliseconds, (uint)(Milliseconds >> 32), (uint)Sequence, (uint)(Sequence >> 32));

    public bool IsBehind(RdbStreamId other) =>
        Milliseconds > other.Milliseconds || (Milliseconds == other.Milliseconds && Sequence > other.Sequence);
}
