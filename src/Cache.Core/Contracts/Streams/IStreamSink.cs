namespace Cache.Core;

/// <summary>Receives entries of a stream, as of one moment.</summary>
/// <remarks>
/// A struct type argument; called when the read is known to be consistent, while no lock is held. The spans are valid
/// until the call returns.
/// </remarks>
public interface IStreamSink
{
    /// <summary>Whether it takes no more: the remaining entries are not told.</summary>
    bool IsFull { get; }

    /// <summary>Called first.</summary>
    /// <param name="count">The number of entries that follow.</param>
    void Begin(long count);

    /// <summary>Receives an entry.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="fields">
    /// Its fields with their values; of an entry that was removed while it was pending, none (<see
    /// cref="StreamFields.IsRemoved"/>).
    /// </param>
    void Take(StreamId id, scoped StreamFields fields);
}
