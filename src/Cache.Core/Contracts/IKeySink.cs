namespace Cache.Core.Contracts;

/// <summary>A place that takes keys, handed down to a scan.</summary>
public interface IKeySink
{
    /// <summary>Takes one key.</summary>
    /// <param name="key">The key's bytes; the span lives until the call returns.</param>
    void Take(ReadOnlySpan<byte> key);
}
