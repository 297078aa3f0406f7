namespace Cache.Core;

/// <summary>A place that takes keys, handed down to a scan.</summary>
public interface IKeySink
{
    /// <summary>Whether it has enough: the scan then ends soon, as if it had taken the count.</summary>
    bool IsFull { get; }

    /// <summary>Takes one key.</summary>
    /// <param name="key">The key's bytes; the span lives until the call returns.</param>
    void Take(ReadOnlySpan<byte> key);
}
