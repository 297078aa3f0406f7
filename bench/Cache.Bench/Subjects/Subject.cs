namespace Cache.Bench.Subjects;

/// <summary>What is measured: a cache filled with keys 0 to N − 1. Thread-safe.</summary>
internal abstract class Subject(string name) : IDisposable
{
    public string Name { get; } = name;

    /// <summary>The number of entries, to be compared with what was loaded.</summary>
    public abstract long Count { get; }

    /// <summary>Adds or replaces an entry.</summary>
    /// <param name="key">The key, as an array or string that the subject may keep.</param>
    /// <param name="value">Copied.</param>
    /// <param name="timeToLive">Zero: for ever.</param>
    public abstract void Load(string key, ReadOnlySpan<byte> value, TimeSpan timeToLive = default);

    /// <summary>Does the operation once for each key of a block.</summary>
    /// <returns>Wrong answers, or −1 if the subject has no such operation.</returns>
    public abstract int Run(Operation operation, KeyBlock block);

    public virtual void Dispose()
    {
    }

    public static Subject Create(string name, int keys, int valueLength) => name switch
    {
        "store" => new StoreSubject(keys, valueLength),
        "dictionary" => new DictionarySubject(keys),
        "memorycache" => new MemoryCacheSubject(),
        "door" => new StoreDoorSubject(keys, valueLength),
        "memorydistributed" => new MemoryDistributedSubject(),
        "fusioncache" => new FusionCacheSubject(),
        _ => throw new ArgumentException(
            $"There is no subject \"{name}\"; it is store, {string.Join(", ", SubjectOptions.Rivals)}."),
    };
}
