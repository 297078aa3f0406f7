namespace Cache.Core;

/// <summary>Receives the fields of a hash, each with its value, as of one moment.</summary>
/// <remarks>
/// A struct type argument; called when the read is known to be consistent, while no lock is held. The spans are valid
/// until the call returns.
/// </remarks>
public interface IFieldSink
{
    /// <summary>Whether it takes no more: the remaining fields are not told.</summary>
    bool IsFull { get; }

    /// <summary>Called first.</summary>
    /// <param name="count">The number of fields that follow.</param>
    void Begin(long count);

    /// <summary>Receives a field.</summary>
    /// <param name="field">Its name.</param>
    /// <param name="value">Its value.</param>
    void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value);
}
