namespace Cache.Core;

/// <summary>Receives the keys of a scan.</summary>
public interface IKeySink
{
    /// <summary>Whether it has enough keys: the scan then ends soon, as if the count was reached.</summary>
    bool IsFull { get; }

    /// <summary>Receives one key.</summary>
    /// <param name="key">The key's bytes; valid until the call returns.</param>
    void Take(ReadOnlySpan<byte> key);
}
