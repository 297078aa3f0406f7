namespace Cache.Core.Collections;

/// <summary>Copies the member that it is told into a sink of a value.</summary>
internal ref struct CopiedMember<TSink>(TSink sink) : IScoredMemberSink
    where TSink : struct, IValueSink, allows ref struct
{
    /// <summary>The caller's sink.</summary>
    public TSink Sink = sink;

    public bool IsFull { get; private set; }

    public readonly void Begin(long count)
    {
    }

    public void Take(scoped ReadOnlySpan<byte> member, double score)
    {
        member.CopyTo(Sink.GetSpan(member.Length));
        Sink.Advance(member.Length);
        IsFull = true;
    }
}
