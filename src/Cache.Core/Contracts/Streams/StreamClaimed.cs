namespace Cache.Core;

/// <summary>What a call of <c>AutoClaim</c> has found, besides entries. One thread at a time.</summary>
public sealed class StreamClaimed
{
    /// <summary>Where another call goes on; 0-0: there are no more pending entries.</summary>
    public StreamId Next { get; internal set; }

    /// <summary>The ids of pending entries that were removed from the stream: they are pending no more.</summary>
    public IReadOnlyList<StreamId> Removed => RemovedIds;

    internal List<StreamId> RemovedIds { get; } = [];

    internal void Begin(StreamId from)
    {
        Next = from;
        RemovedIds.Clear();
    }
}
