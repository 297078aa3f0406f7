namespace Cache.Core;

/// <summary>Receives the values of several keys, in the order of the keys.</summary>
public interface IValueBatchSink : IValueSink
{
    /// <summary>Whether it has enough: the remaining keys are then not read.</summary>
    bool IsFull { get; }

    /// <summary>Called if the next key is absent.</summary>
    void Miss();

    /// <summary>Forgets everything received so far: the values were not read atomically, and are read again.</summary>
    void Restart();
}

/// <summary>Receives the values of several keys, each read on its own.</summary>
public interface IIndexedValueSink : IValueSink
{
    /// <summary>Called before each key is read: what comes next, if anything, is its value.</summary>
    /// <param name="index">The key's index, one more than at the last call; at first 0.</param>
    void Begin(int index);
}
