namespace Cache.Near.Entries;

/// <summary>What links drop entries of, as servers tell of changes. Thread-safe; it must not wait.</summary>
internal interface ILocalEntries
{
    /// <summary>Forgets a key.</summary>
    /// <returns>Whether something was known of it.</returns>
    bool Drop(ReadOnlySpan<byte> key);

    /// <summary>Forgets everything.</summary>
    void Clear();

    /// <summary>Forgets everything: another link, perhaps to another server, begins to tell of changes.</summary>
    void Restart() => Clear();

    /// <summary>Forgets the keys of slots.</summary>
    /// <param name="isSwept">For each slot whether its keys go.</param>
    void Sweep(bool[] isSwept);
}
