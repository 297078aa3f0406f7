namespace Cache.Core;

/// <summary>A place that takes the values of several keys, in the order of the keys.</summary>
public interface IValueBatchSink : IValueSink
{
    /// <summary>Whether it has enough: the rest of the keys is then not read any more.</summary>
    bool IsFull { get; }

    /// <summary>Takes the absence of the next key.</summary>
    void Miss();

    /// <summary>Forgets everything taken so far: the values were not of one moment, and are read again.</summary>
    void Restart();
}
