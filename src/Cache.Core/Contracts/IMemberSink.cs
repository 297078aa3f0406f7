namespace Cache.Core;

/// <summary>Receives members of a set, as of one moment.</summary>
/// <remarks>
/// A struct type argument; called when the read is known to be consistent, while no lock is held. The spans are valid
/// until the call returns.
/// </remarks>
public interface IMemberSink
{
    /// <summary>Whether it takes no more: the remaining members are not told.</summary>
    bool IsFull { get; }

    /// <summary>Called first.</summary>
    /// <param name="count">The number of members that follow.</param>
    void Begin(long count);

    /// <summary>Receives a member.</summary>
    void Take(scoped ReadOnlySpan<byte> member);
}
