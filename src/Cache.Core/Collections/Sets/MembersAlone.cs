namespace Cache.Core.Collections.Sets;

/// <summary>A sink of members where those with scores are told.</summary>
internal ref struct MembersAlone<TSink>(TSink sink) : IScoredMemberSink
    where TSink : struct, IMemberSink, allows ref struct
{
    /// <summary>The caller's sink.</summary>
    public TSink Sink = sink;

    public bool IsFull => Sink.IsFull;

    public void Begin(long count) => Sink.Begin(count);

    public void Take(scoped ReadOnlySpan<byte> member, double score) => Sink.Take(member);
}
