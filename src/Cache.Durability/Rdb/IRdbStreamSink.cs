namespace Cache.Durability.Rdb;

/// <summary>Receives a stream of an RDB file, in the file's order.</summary>
internal interface IRdbStreamSink
{
    /// <summary>Whether it takes no more of this stream.</summary>
    bool IsFull { get; }

    /// <summary>Begins a stream: forgets the one before.</summary>
    void Begin();

    /// <summary>Receives an entry; the ids ascend.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="fields">Names and values in turn, of which there is one pair at least.</param>
    void TakeEntry(RdbStreamId id, RdbElements fields);

    /// <summary>Receives what is known of the stream, behind its entries.</summary>
    void TakeHead(in RdbStreamHead head);

    /// <summary>Receives a group of consumers.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="last">The last id that was delivered to it.</param>
    /// <param name="entriesRead">How many entries it has read; −1: not known.</param>
    void TakeGroup(ReadOnlySpan<byte> name, RdbStreamId last, long entriesRead);

    /// <summary>Receives a consumer of the last group.</summary>
    void TakeConsumer(ReadOnlySpan<byte> name, long seenMs);

    /// <summary>Receives an entry that the last consumer has not acknowledged.</summary>
    void TakePending(RdbStreamId id, long deliveredMs, long deliveries);
}
