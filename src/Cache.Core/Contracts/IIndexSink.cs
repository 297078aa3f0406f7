namespace Cache.Core;

/// <summary>Receives the indexes of elements of a list, as of one moment.</summary>
/// <remarks>A struct type argument; called when the read is known to be consistent, while no lock is held.</remarks>
public interface IIndexSink
{
    /// <summary>Called first.</summary>
    /// <param name="count">The number of indexes that follow.</param>
    void Begin(long count);

    /// <summary>Receives an index.</summary>
    /// <param name="index">0 for the leftmost element.</param>
    void Take(long index);
}
