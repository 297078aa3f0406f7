namespace Cache.Bench.Subjects;

/// <summary>What an <see cref="ArraySubject{TMap}"/> keeps its arrays in.</summary>
internal interface IArrayMap
{
    bool TryGet(string key, out byte[]? value);

    void Set(string key, byte[] value);
}
