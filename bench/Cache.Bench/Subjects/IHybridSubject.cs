namespace Cache.Bench.Subjects;

/// <summary>A hybrid cache under measurement. The loop is the subject's, so that its calls are direct ones.</summary>
internal interface IHybridSubject
{
    string Name { get; }

    ValueTask SetAsync<T>(string key, T value);

    T? Get<T>(string key);

    /// <summary>Reads each key once.</summary>
    /// <returns>How many were not there, or not at once.</returns>
    int Read<T>(string[] keys);
}
