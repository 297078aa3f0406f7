namespace Cache.Durability.Rdb;

/// <summary>The id of an entry of a stream: a time, and a number.</summary>
internal readonly record struct RdbStreamId(ulong Milliseconds, ulong Sequence)
{
    public bool IsBehind(RdbStreamId other) =>
        Milliseconds > other.Milliseconds || (Milliseconds == other.Milliseconds && Sequence > other.Sequence);
}
